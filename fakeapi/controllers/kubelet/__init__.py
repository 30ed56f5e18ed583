"""The kubelet's side of a node: it calls DRA drivers, and tells what became of pods. No container runs."""
