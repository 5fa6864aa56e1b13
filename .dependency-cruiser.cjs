/**
 * The doors of the control plane and of the host agent, from the lowest to the highest: `./scripts/test` runs this. A door imports
 * only from doors before it, and no two folders import each other. Type imports count. The README of each door says what it is for.
 */
const doorsOf = (names) => names.split(' ')
const controlPlaneDoors = doorsOf('base links rental files events phone-io fleet people api app')
const agentDoors = doorsOf('base adb capture screen phone custody devices actions media service')

/** One rule for each door: it imports neither a later door nor a file beside the doors. */
const doorRules = (root, doors) =>
  doors.map((door, index) => ({
    name: `${root}/${door} imports lower doors only`,
    severity: 'error',
    from: { path: `^${root}/${door}/` },
    to: { path: `^${root}/`, pathNot: `^${root}/(${[...doors.slice(0, index + 1), 'gen'].join('|')})/` },
  }))

/** `main.ts` and `cli.ts` are the ways in; everything else has a door. */
const everyFile = (root, doors) => ({
  name: `every file of ${root} has a door`,
  severity: 'error',
  from: {
    path: `^${root}/`,
    pathNot: `^${root}/(${[...doors, 'gen', 'testing', 'conformance'].join('|')})/|^${root}/(main|cli)\\.ts$`,
  },
  to: {},
})

const src = 'control-plane/src'
const agent = 'host-agent/src'

module.exports = {
  forbidden: [
    ...doorRules(src, controlPlaneDoors),
    everyFile(src, controlPlaneDoors),
    ...doorRules(agent, agentDoors),
    everyFile(agent, agentDoors),
    {
      name: 'no two folders import each other',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only the door of HTTP imports Fastify',
      comment: 'Rule 8 of docs/architecture.md: services know nothing of HTTP.',
      severity: 'error',
      from: { path: `^${src}/(?!api/|app/)[^/]+/` },
      to: { path: 'node_modules/(fastify|@fastify/(?!proxy-addr)|fastify-)' },
    },
    {
      name: '/v1 routes import types of services only',
      comment: 'Rule 8 of docs/architecture.md: routes call the services that they are given.',
      severity: 'error',
      from: { path: `^${src}/api/routes/(?!console/|operator/|public/)` },
      to: {
        path: `^${src}/`,
        pathNot: `^${src}/(api/(routes|http)|base/(core|validation|failure-limit))/|/types\\.ts$`,
      },
    },
    {
      name: 'routes do not reach below services',
      severity: 'error',
      from: { path: `^${src}/api/routes/` },
      to: { path: `^${src}/(base/(db|queue|pki)|links/host-calls|gen)/` },
    },
  ],
  options: {
    // TypeScript 7 has no API for it.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: `\\.test\\.ts$|/dist/|^${src}/(testing|conformance|phone-io/(live|steps/replay)/page)/|^${agent}/testing/`,
    },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
}
