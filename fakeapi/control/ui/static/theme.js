// Applies the theme of the last visit before the page is drawn.
document.documentElement.dataset.theme = localStorage.getItem("fakeapi-theme") ?? "system";
