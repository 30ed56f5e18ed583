// Reads objects with client-go in one media type, and prints what it sees as JSON lines.
//
//	reader URL MEDIA-TYPE PATH...
//
// Each path is read as it is, as the list that holds it, and as the first event of a watch of that list.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func show(what string, object any) {
	line, err := json.Marshal(map[string]any{"what": what, "object": object})
	check(err)
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	url, media := os.Args[1], os.Args[2]
	config := &rest.Config{Host: url, ContentConfig: rest.ContentConfig{
		AcceptContentTypes:   media,
		ContentType:          media,
		GroupVersion:         &schema.GroupVersion{Version: "v1"},
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
	}}
	client, err := rest.UnversionedRESTClientFor(config)
	check(err)
	ctx := context.Background()
	for _, target := range os.Args[3:] {
		found, err := client.Get().AbsPath(target).Do(ctx).Get()
		check(err)
		show("get "+target, found)
		collection := path.Dir(target)
		listed, err := client.Get().AbsPath(collection).Do(ctx).Get()
		check(err)
		show("list "+collection, listed)
		watched, err := client.Get().AbsPath(collection).Param("watch", "true").
			Param("fieldSelector", "metadata.name="+path.Base(target)).Watch(ctx)
		check(err)
		event := <-watched.ResultChan()
		watched.Stop()
		show(string(event.Type)+" "+target, event.Object)
	}
	missing := client.Get().AbsPath(path.Dir(os.Args[3]) + "/missing").Do(ctx).Error()
	status, isStatus := missing.(interface{ Status() metav1.Status })
	if !isStatus {
		check(fmt.Errorf("no Status: %w", missing))
	}
	show("refusal", status.Status())
}
