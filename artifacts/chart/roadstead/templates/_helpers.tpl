{{/*
The labels of an object: (list $ NAME), or (list $ NAME FURTHER). Never on pod templates and never in selectors: an upgrade of
the chart must restart nothing by itself, and selectors cannot be changed.
*/}}
{{- define "roadstead.labels" -}}
{{- $ := index . 0 -}}
{{- $fixed := dict
  "app.kubernetes.io/name" (index . 1)
  "app.kubernetes.io/instance" $.Release.Name
  "app.kubernetes.io/version" $.Chart.AppVersion
  "app.kubernetes.io/managed-by" $.Release.Service
  "app.kubernetes.io/part-of" "roadstead"
  "helm.sh/chart" (printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_")
-}}
{{- $further := dict -}}
{{- range slice . 2 -}}
{{- $further = . -}}
{{- end -}}
{{- merge $fixed ($further | default dict) ($.Values.commonLabels | default dict) | toYaml -}}
{{- end }}

{{/* The image of a program: (list $ VALUES-OF-ITS-IMAGE). */}}
{{- define "roadstead.image" -}}
{{- $ := index . 0 -}}
{{- $image := index . 1 -}}
image: {{ printf "%s/%s:%s" $.Values.image.registry $image.repository ($.Values.image.tag | default $.Chart.AppVersion) }}{{ with $image.digest }}@{{ . }}{{ end }}
{{- with $.Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end }}

{{/* Labels and annotations of a pod template: (dict "name" NAME "values" VALUES-OF-THE-PROGRAM "annotations" FURTHER). */}}
{{- define "roadstead.podMetadata" -}}
labels:
  app.kubernetes.io/name: {{ .name }}
{{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with merge (dict) (.annotations | default dict) (.values.podAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Scheduling of the pods of a program: (list $ VALUES-OF-THE-PROGRAM). */}}
{{- define "roadstead.scheduling" -}}
{{- $ := index . 0 -}}
{{- $program := index . 1 -}}
{{- with $.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $program.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with $program.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $program.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $program.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Pods of a program keep apart from each other: (list NAME VALUES-OF-THE-PROGRAM TOPOLOGY-KEY...). */}}
{{- define "roadstead.spread" -}}
{{- $name := index . 0 -}}
{{- $program := index . 1 -}}
topologySpreadConstraints:
{{- if $program.topologySpreadConstraints }}
  {{- toYaml $program.topologySpreadConstraints | nindent 2 }}
{{- else }}
{{- range slice . 2 }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        app.kubernetes.io/name: {{ $name }}
    matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
{{- end }}

{{/* The security context of all containers: no privileges. */}}
{{- define "roadstead.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/*
The environment variable that makes the garbage collector work harder before a container is killed: (list VALUES-OF-THE-PROGRAM
CHILDREN). It is nine tenths of the memory limit. A program with child processes that render charts leaves them 2 x 512 MiB, and
324 MiB for what is no heap; below 2Gi it gets the same share as with 2Gi. Nothing without a limit, and where the values set the
variable themselves.
*/}}
{{- define "roadstead.memoryLimit" -}}
{{- $program := index . 0 }}
{{- $children := index . 1 }}
{{- $limit := dig "limits" "memory" "" ($program.resources | default dict) -}}
{{- if not (kindIs "string" $limit) }}
{{- $limit = $limit | int64 | toString }}
{{- end }}
{{- range $program.extraEnv }}
{{- if eq .name "GOMEMLIMIT" }}
{{- $limit = "" }}
{{- end }}
{{- end }}
{{- $number := regexFind "^[0-9]+([.][0-9]+)?" $limit }}
{{- $factors := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $unit := trimPrefix $number $limit }}
{{- if and $number (hasKey $factors $unit) }}
{{- $mebibytes := divf (mulf (float64 $number) (get $factors $unit)) 1048576 }}
{{- $heap := mulf $mebibytes 0.9 }}
{{- if $children }}
{{- $heap = maxf (subf $mebibytes 1348) (mulf $mebibytes 0.342) }}
{{- end }}
- name: GOMEMLIMIT
  value: {{ $heap | floor | int64 }}MiB
{{- end }}
{{- end }}

{{/* The pod's user: (list UID FSGROUP), without a volume to write no FSGROUP. */}}
{{- define "roadstead.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ index . 0 }}
  runAsGroup: {{ index . 0 }}
{{- with slice . 1 }}
  fsGroup: {{ first . }}
{{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{/* Flags of both programs: (list $ VALUES-OF-THE-PROGRAM). Defaults of a program are not repeated. */}}
{{- define "roadstead.commonArgs" -}}
{{- $ := index . 0 -}}
{{- $program := index . 1 -}}
{{- if ne $.Values.crdGuard.defaultPolicy "Deny" }}
- --crd-guard-policy={{ $.Values.crdGuard.defaultPolicy }}
{{- end }}
{{- if ne $program.logLevel "info" }}
- --log-level={{ $program.logLevel }}
{{- end }}
{{- if ne $program.logFormat "json" }}
- --log-format={{ $program.logFormat }}
{{- end }}
{{- range $program.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{/* Flags of the controller. */}}
{{- define "roadstead.controllerArgs" -}}
{{- $served := list }}
{{- range $group, $is := .Values.groups }}
{{- if $is }}
{{- $served = append $served $group }}
{{- end }}
{{- end }}
{{- if lt (len $served) (len .Values.groups) }}
- --groups={{ join "," $served }}
{{- end }}
{{- with .Values.takaro.mockServerImage }}
- --mock-server-image={{ . }}
{{- end }}
{{- if and (include "roadstead.redis" .) (not .Values.redis.existingSecret) }}
- --bundled-redis=roadstead-redis.{{ .Release.Namespace }}.svc
{{- end }}
{{- with include "roadstead.secretNamespaces" . }}
- --secret-namespaces={{ . }}
{{- end }}
{{- include "roadstead.commonArgs" (list . .Values.controller) }}
{{- end }}

{{/* The namespaces in which the controller may use Secrets, separated by commas; nothing for all. */}}
{{- define "roadstead.secretNamespaces" -}}
{{- if not (has "*" .Values.controller.secretNamespaces) }}
{{- prepend .Values.controller.secretNamespaces .Release.Namespace | uniq | join "," }}
{{- end }}
{{- end }}

{{/* Permissions of the controller on Secrets. */}}
{{- define "roadstead.controllerSecrets" -}}
{{- if .Values.groups.takaro -}}
# The controller reads credentials that specs name, and writes registration tokens and logins into the namespaces of Domains and
# Users. patch: sets and removes the in-use finalizer. delete: logins of Users that are deleted, so that the name is available if
# the User is created again immediately. create: also roadstead-takaro-seed in the installation's namespace.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch, create, update, patch, delete]
{{- else -}}
# Credentials of chart repositories are read.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch]
{{- end }}
{{- end }}

{{/* Runs before anything is deleted, in the order of the weights, and leaves nothing when it went well. */}}
{{- define "roadstead.uninstallHook" -}}
helm.sh/hook: pre-delete
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}

{{/* Non-empty if Redis is installed, which only mock game servers need. */}}
{{- define "roadstead.redis" -}}
{{- if and .Values.redis.enabled .Values.groups.takaro }}yes{{ end }}
{{- end }}
