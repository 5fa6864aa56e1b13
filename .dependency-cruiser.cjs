/**
 * The floors of the control plane and of the host agent: `./scripts/test` runs this. A folder imports only from folders on
 * lower floors, so no circle between folders can exist. Type imports count. `docs/architecture.md` says what each folder is
 * for.
 */
const controlPlaneFloors = [
  ['base'],
  ['apps', 'config', 'metrics', 'pki', 'failure-limit', 'validation'],
  ['db', 'host-calls'],
  ['core'],
  ['activity', 'billing', 'keys', 'queue', 'tunnels'],
  ['devices', 'payments', 'storage'],
  ['phones', 'uploads'],
  ['device-control', 'events', 'hosts', 'library', 'live'],
  ['handoffs', 'installs', 'operator', 'recordings', 'steps', 'webhooks'],
  ['http', 'jobs', 'setup', 'users'],
  ['connectors'],
  ['routes'],
  ['mcp', 'openapi'],
  ['server'],
  ['cli'],
]

const agentFloors = [
  ['base'],
  ['cli', 'metrics'],
  ['adb'],
  ['device'],
  ['parts', 'scrcpy', 'screen'],
  ['capture', 'files', 'logs', 'shell', 'ui-server'],
  ['lock', 'packages', 'settings', 'wiping'],
  ['custody'],
  ['supervision'],
  ['devices'],
  ['actions', 'installs', 'live', 'recordings', 'status', 'tunnels'],
  ['doctor', 'grpc'],
  ['accept'],
]

/** One rule per folder: it must not import a folder on its own floor or above, nor a file that lies above all floors. */
const floorRules = (root, floors) =>
  floors.flatMap((floor, index) =>
    floor.map((folder) => {
      const lower = floors.slice(0, index).flat()
      const allowed = [folder, 'gen', ...lower].join('|')
      return {
        name: `${root}/${folder} imports lower floors only`,
        severity: 'error',
        from: { path: `^${root}/${folder}/` },
        to: { path: `^${root}/`, pathNot: `^${root}/(${allowed})/` },
      }
    }),
  )

/** A new folder must be put on a floor. */
const everyFolder = (root, floors) => ({
  name: `every folder of ${root} has a floor`,
  severity: 'error',
  from: {
    path: `^${root}/(?!${[...floors.flat(), 'gen', 'testing', 'conformance'].join('/|')}/)[^/]+/`,
  },
  to: {},
})

const src = 'control-plane/src'
const agent = 'host-agent/src'

module.exports = {
  forbidden: [
    ...floorRules(src, controlPlaneFloors),
    everyFolder(src, controlPlaneFloors),
    ...floorRules(agent, agentFloors),
    everyFolder(agent, agentFloors),
    {
      name: 'no two folders import each other',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only the HTTP floors import Fastify',
      comment: 'Rule 8 of docs/architecture.md: services know nothing of HTTP.',
      severity: 'error',
      from: { path: `^${src}/(?!http/|mcp/|routes/|openapi/|server/)[^/]+/` },
      to: { path: 'node_modules/(fastify|@fastify/(?!proxy-addr)|fastify-)' },
    },
    {
      name: '/v1 routes import types of services only',
      comment: 'Rule 8 of docs/architecture.md: routes call the services that they are given.',
      severity: 'error',
      from: { path: `^${src}/routes/(?!console/|operator/|public/)` },
      to: { path: `^${src}/`, pathNot: `^${src}/(routes|http|core|validation|failure-limit)/|/types\\.ts$` },
    },
    {
      name: 'routes do not reach below services',
      severity: 'error',
      from: { path: `^${src}/routes/` },
      to: { path: `^${src}/(db|queue|host-calls|pki|gen)/` },
    },
  ],
  options: {
    // TypeScript 7 has no API for it.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: `\\.test\\.ts$|/dist/|^${src}/(testing|conformance|live/page|steps/replay/page)/|^${agent}/testing/`,
    },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
}
