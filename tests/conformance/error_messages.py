"""The section of docs/fidelity.md about error messages, which `make differential` compares."""

ERROR_MESSAGES = """\
### Error messages

`--sort messages` sends stories that provoke error messages of Kubernetes' validation, for all kinds that a release
serves. [A search](../fixtures/README.md#messages) found the stories. The search uses only fakeapi. It changes valid objects,
and keeps a story if the story reaches a place in `fakeapi/kinds` that no other story reaches. A place is a call that
creates an error. The modules in `fakeapi/kinds` follow the functions of Kubernetes' validation, so a place of fakeapi
stands for a place upstream.

A place counts as provoked if its code ran in fakeapi and the response has its message. Of 1,141 places, 1,041 are provoked
in 1.31, 1.34 or 1.37, with the default gates or with all gates: 98 % of the 1,058 places that a story may provoke. `python
-m tests.differential.searching.run --count` prints these figures, and with `--missing` the other 17 places. The table in
`tests/differential/searching/unreachable.py` names the 83 places that no story can provoke:

| places | reason |
|--:|---|
| 40 | The rule is only in releases whose kube-apiserver does not get the stories, such as the rules of v1alpha2 claims. |
| 23 | The server sets a default before the validation. |
| 9 | The server keeps, resets or copies the field before the validation. |
| 6 | Needs a server with two families of IP addresses. |
| 2 | Needs an object that is younger than a story can be. |
| 2 | Needs an object that has the time of the story. |
| 1 | A limit of fakeapi. |

| release | stories | places provoked, default gates | further places, all gates |
|---|--:|--:|--:|
| 1.31 | 747 | 726 | 53 |
| 1.34 | 854 | 811 | 98 |
| 1.37 | 875 | 914 | 66 |

In each API group, stories provoke 90 % or more of the places that a story may provoke.

| release | gates | seed | exchanges | stories with a difference without a name |
|---|---|--:|--:|--:|
| 1.37 | default | 31 | 1,850 | 4 |
| 1.34 | default | 31 | 1,850 | 5 |
| 1.31 | default | 31 | 1,850 | 3 |
| 1.37 | all | 22 | 1,851 | 4 |
| 1.34 | all | 22 | 1,850 | 2 |
| 1.37 | default | 24 | 1,902 | 3 |
| 1.34 | default | 24 | 1,900 | 3 |
| 1.31 | default | 24 | 1,900 | 3 |
| 1.37 | all | 23 | 2,600 | 3 |
| 1.34 | all | 24 | 1,900 | 4 |
| 1.31 | all | 24 | 1,900 | 20 |

The stories are about FlowSchemas (corrected after the runs) and the differences below. In the runs with the seed
22, stories about FlowSchemas and PriorityLevelConfigurations also got 409 from fakeapi: they sent the uid of kube-apiserver.
These stories are corrected.

Not corrected:

- Up to 1.32, the gate InPlacePodVerticalScaling sets defaults of `resizePolicy`. fakeapi does not set them.
- An update of the status of an APIService may get 409, because a controller updates the same status. fakeapi and
  kube-apiserver differ in it by chance.

"""  # noqa: E501 - the lines of the page
