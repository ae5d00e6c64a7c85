module coxswain.dev/schema/record-answers

go 1.26

require (
	k8s.io/apiextensions-apiserver v0.37.2
	k8s.io/apimachinery v0.37.2
	k8s.io/apiserver v0.37.2
)
