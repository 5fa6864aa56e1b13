// Reads Kubernetes manifests from standard input, and fails unless each manifest matches its schema, each Pod
// runs without root on a read-only file system, selectors find their Pods, and volumes exist. For
// scripts/check-helm. The argument is a folder with the npm packages kubernetes-models and
// @kubernetes-models/prometheus-operator.
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
      check(
        name.endsWith('_FILE') || !(value && /PASSWORD|SECRET|DATABASE_URL|SMTP_URL/.test(name)),
        at,
        `has ${name} in clear text`,
      )
    for (const { name } of container.volumeMounts ?? [])
      check(
        volumes.some((volume) => volume.name === name),
        at,
        `mounts ${name}, which does not exist`,
      )
    const portNames = ports.map(({ name }) => name)
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      if (probe && !probe.exec)
        check(portNames.includes((probe.httpGet ?? probe.tcpSocket).port), at, 'probes an unknown port')
    if (container.name === 'agent')
      check(container.readinessProbe?.exec?.command[1] === 'health', at, 'is not asked for its health')
    if (['agent', 'control-plane', 'migrate'].includes(container.name))
      check(container.resources?.limits?.memory !== undefined, at, 'has no limit of memory')
    checkFiles(at, container, volumes)
  }
}

/** Each variable that names a file in a mounted Secret must name a file that the volume contains. */
function checkFiles(at, { env = [], volumeMounts = [] }, volumes) {
  for (const { name, value } of env.filter((variable) => variable.name.endsWith('_FILE'))) {
    const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`))
    check(mount?.readOnly === true, at, `has no read-only folder for ${name}`)
    const sources = volumes.find((volume) => volume.name === mount?.name)?.projected?.sources ?? []
    const paths = sources.flatMap(({ secret }) => secret.items.map(({ path: file }) => file))
    if (sources.length > 0)
      check(paths.includes(path.basename(value)), at, `has no file ${value} for ${name}`)
  }
}

const models = createRequire(path.resolve(process.argv[2], 'package.json'))
/** The package has ES modules only. */
const operatorModels = path.resolve(process.argv[2], 'node_modules/@kubernetes-models/prometheus-operator')

/** Checks types, required fields and values. The schemas allow unknown fields. */
async function checkSchema(where, object) {
  try {
    const { [object.kind]: Model } = object.apiVersion.startsWith('monitoring.coreos.com/')
      ? await import(path.join(operatorModels, object.apiVersion, `${object.kind}.js`))
      : models(`kubernetes-models/${object.apiVersion}/${object.kind}`)
    new Model(object).validate()
  } catch (error) {
    check(false, where, error.message)
  }
}

for (const object of objects.filter(Boolean)) {
  const where = `${object.kind} ${object.metadata.name}`
  await checkSchema(where, object)
  const pod = podOf(object)
  if (pod) checkPod(where, pod.spec)
  const selector =
    object.kind === 'Service'
      ? object.spec.selector
      : ((object.spec?.selector ?? object.spec?.podSelector)?.matchLabels ?? null)
  const account = podOf(object)?.spec.serviceAccountName ?? 'default'
  check(
    account === 'default' ||
      objects.some((other) => other?.kind === 'ServiceAccount' && other.metadata.name === account),
    where,
    `uses the service account ${account}, which does not exist`,
  )
  const wanted = [
    ...(object.spec?.podMetricsEndpoints ?? []),
    ...(object.spec?.ingress ?? []).flatMap(({ ports = [] }) => ports),
  ].map(({ port }) => port)
  const there = objects
    .filter((other) => other && podOf(other) && selector && includes(podOf(other).metadata.labels, selector))
    .flatMap((other) => podOf(other).spec.containers)
    .flatMap(({ ports = [] }) => ports.map(({ name }) => name))
  for (const port of wanted)
    check(there.includes(port), where, `names the port ${port}, which its Pods do not have`)
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
