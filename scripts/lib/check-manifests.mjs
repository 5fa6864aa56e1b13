// Reads Kubernetes manifests from standard input, and fails unless each fits its schema, each Pod runs without root on a
// read-only file system, selectors find their Pods, and volumes exist. For scripts/check-helm. The argument is a folder with
// the npm package kubernetes-models.
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { parseAllDocuments } from 'yaml'

let text = ''
for await (const chunk of process.stdin) text += chunk

const objects = parseAllDocuments(text).map((document) => {
  if (document.errors.length > 0) throw document.errors[0]
  return document.toJS()
})
const faults = []
const check = (isTrue, where, text) => void (isTrue || faults.push(`${where}: ${text}`))

const podOf = ({ spec }) => spec?.template
const includes = (labels, wanted) => Object.entries(wanted).every(([name, value]) => labels[name] === value)

function checkPod(where, pod) {
  const { securityContext: rights = {}, containers, volumes = [] } = pod
  check(rights.runAsNonRoot === true && rights.runAsUser > 0, where, 'runs as root')
  check(rights.seccompProfile?.type === 'RuntimeDefault', where, 'has no seccomp profile')
  check(pod.automountServiceAccountToken === false, where, 'gets a token of the API server')
  for (const container of containers) {
    const at = `${where}/${container.name}`
    const own = container.securityContext ?? {}
    check(own.readOnlyRootFilesystem === true, at, 'can write to its root file system')
    if (own.privileged === true) check(container.name === 'agent', at, 'is privileged')
    else {
      check(own.allowPrivilegeEscalation === false, at, 'can get more rights')
      check(own.capabilities?.drop?.includes('ALL'), at, 'keeps capabilities')
    }
    const names = (container.env ?? []).map(({ name }) => name)
    for (const name of names) check(names.indexOf(name) === names.lastIndexOf(name), at, `sets ${name} twice`)
    const ports = container.ports ?? []
    for (const [index, { name, value = '' }] of (container.env ?? []).entries()) {
      for (const [, used] of value.matchAll(/\$\((\w+)\)/g))
        check(names.slice(0, index).includes(used), at, `uses ${used} in ${name}, which is not set before it`)
      if (name === 'PHONERACK_TUNNEL_LISTEN')
        check(
          ports.some(({ hostPort }) => value.endsWith(`:${hostPort}`)),
          at,
          'has no port of its node for tunnels',
        )
    }
    for (const { name, value } of container.env ?? [])
      check(!(value && /PASSWORD|SECRET|DATABASE_URL/.test(name)), at, `has ${name} in clear text`)
    for (const { name } of container.volumeMounts ?? [])
      check(
        volumes.some((volume) => volume.name === name),
        at,
        `mounts ${name}, which does not exist`,
      )
    const portNames = ports.map(({ name }) => name)
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      if (probe)
        check(portNames.includes((probe.httpGet ?? probe.tcpSocket).port), at, 'probes an unknown port')
  }
}

const models = createRequire(path.resolve(process.argv[2], 'package.json'))

/** Types, required fields and values; the schemas allow unknown fields. */
function checkSchema(where, object) {
  try {
    const { [object.kind]: Model } = models(`kubernetes-models/${object.apiVersion}/${object.kind}`)
    new Model(object).validate()
  } catch (error) {
    check(false, where, error.message)
  }
}

for (const object of objects.filter(Boolean)) {
  const where = `${object.kind} ${object.metadata.name}`
  checkSchema(where, object)
  const pod = podOf(object)
  if (pod) checkPod(where, pod.spec)
  const selector =
    object.kind === 'Service' ? object.spec.selector : (object.spec?.selector?.matchLabels ?? null)
  if (selector)
    check(
      objects.some((other) => other && podOf(other) && includes(podOf(other).metadata.labels, selector)),
      where,
      'selects no Pod',
    )
}
process.stdout.write(
  faults.map((fault) => `${fault}\n`).join('') || `${objects.filter(Boolean).length} objects: no fault\n`,
)
process.exitCode = faults.length === 0 ? 0 : 1
