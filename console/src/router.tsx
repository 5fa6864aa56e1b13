/** All pages. Each is loaded when it is opened. */
import { type QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { sessionQuery } from './api/session'
import {
  phoneStatuses,
  type ActivityFilter,
  type AllPhonesFilter,
  type EventFilter,
  type PhoneFilter,
  type PhoneStatus,
  type PhonesView,
} from './api/types'
import { Failure, NotFound, NotFoundOutside } from './shell/failure'
import { Layout } from './shell/layout'
import { projectToOpen, rememberProject } from './shell/project'
import { Loading } from './ui/page'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  errorComponent: Failure,
  notFoundComponent: NotFoundOutside,
  beforeLoad: async ({ context }) => ({
    session: await context.queries.query({ ...sessionQuery, staleTime: 'static' }),
  }),
})

/** A path of the console to return to. */
const nextOf = ({ next }: Record<string, unknown>): { next?: string } =>
  typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: nextOf,
  beforeLoad: ({ context, search }) => {
    if (context.session.user) redirect({ to: search.next ?? '/', throw: true })
  },
  component: lazyRouteComponent(() => import('./pages/sign-in'), 'SignIn'),
})

const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot',
  component: lazyRouteComponent(() => import('./pages/forgot'), 'Forgot'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./pages/sign-up'), 'SignUp'),
})

const callback = createRoute({
  getParentRoute: () => root,
  path: '/callback/$provider',
  component: lazyRouteComponent(() => import('./pages/callback'), 'Callback'),
})

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/welcome'), 'Welcome'),
})

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Layout,
  beforeLoad: ({ context, location }) => {
    if (context.session.user) return
    redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href }, throw: true })
  },
})

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: ({ context }) => {
    if (context.session.has_operator_pages) redirect({ to: '/operator/hosts', throw: true })
    const project = projectToOpen(context.session.projects)
    if (project) redirect({ to: '/projects/$project/phones', params: { project: project.id }, throw: true })
  },
  component: lazyRouteComponent(() => import('./pages/home'), 'Home'),
})

const projects = createRoute({
  getParentRoute: () => inside,
  path: '/projects',
  component: lazyRouteComponent(() => import('./pages/projects'), 'Projects'),
})

const statusOf = (status: unknown): { status?: PhoneStatus } => {
  const known = phoneStatuses.find((each) => each === status)
  return known === undefined ? {} : { status: known }
}

const allPhones = createRoute({
  getParentRoute: () => inside,
  path: '/phones',
  validateSearch: ({ status, project: of }: Record<string, unknown>): AllPhonesFilter => ({
    ...statusOf(status),
    ...(typeof of === 'string' ? { project: of } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/all-phones'), 'AllPhones'),
})

const requests = createRoute({
  getParentRoute: () => inside,
  path: '/requests',
  component: lazyRouteComponent(() => import('./pages/requests'), 'Requests'),
})

const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/account'), 'Account'),
})

const connect = createRoute({
  getParentRoute: () => inside,
  path: '/connect',
  component: lazyRouteComponent(() => import('./pages/connect'), 'Connect'),
})

/** The page of a client that asks for access by OAuth. `request`: the client's query, packed by the control plane. */
const authorize = createRoute({
  getParentRoute: () => inside,
  path: '/authorize',
  validateSearch: ({ request }: Record<string, unknown>): { request?: string } =>
    typeof request === 'string' ? { request } : {},
  component: lazyRouteComponent(() => import('./pages/authorize'), 'Authorize'),
})

const project = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$project',
  component: Outlet,
  beforeLoad: ({ params }) => rememberProject(params.project),
})

const phones = createRoute({
  getParentRoute: () => project,
  path: '/phones',
  validateSearch: ({
    status,
    key,
    metadata,
    view,
  }: Record<string, unknown>): PhoneFilter & { view?: PhonesView } => ({
    ...statusOf(status),
    ...(typeof key === 'string' ? { key } : {}),
    ...(typeof metadata === 'string' ? { metadata } : {}),
    ...(view === 'wall' ? { view } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/phones'), 'Phones'),
})

const phone = createRoute({
  getParentRoute: () => project,
  path: '/phones/$phone',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } =>
    typeof tab === 'string' ? { tab } : {},
  component: lazyRouteComponent(() => import('./pages/phone'), 'PhonePage'),
})

const keys = createRoute({
  getParentRoute: () => project,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys'), 'Keys'),
})

const activity = createRoute({
  getParentRoute: () => project,
  path: '/activity',
  validateSearch: ({ by, phone: of, refused }: Record<string, unknown>): ActivityFilter => ({
    ...(typeof by === 'string' ? { by } : {}),
    ...(typeof of === 'string' ? { phone: of } : {}),
    ...(refused === true ? { refused } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/activity'), 'Activity'),
})

const events = createRoute({
  getParentRoute: () => project,
  path: '/events',
  validateSearch: ({ type, phone: of }: Record<string, unknown>): EventFilter => ({
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof of === 'string' ? { phone: of } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/events'), 'Events'),
})

const webhooks = createRoute({
  getParentRoute: () => project,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks'), 'Webhooks'),
})

const webhook = createRoute({
  getParentRoute: () => project,
  path: '/webhooks/$webhook',
  component: lazyRouteComponent(() => import('./pages/webhook'), 'WebhookPage'),
})

const usage = createRoute({
  getParentRoute: () => project,
  path: '/usage',
  component: lazyRouteComponent(() => import('./pages/usage'), 'Usage'),
})

const credit = createRoute({
  getParentRoute: () => project,
  path: '/credit',
  // The result of the checkout from which the payer comes back.
  validateSearch: ({ paid, cancelled }: Record<string, unknown>): { paid?: string; cancelled?: string } => ({
    ...(typeof paid === 'string' ? { paid } : {}),
    ...(typeof cancelled === 'string' ? { cancelled } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/credit'), 'Credit'),
})

const members = createRoute({
  getParentRoute: () => project,
  path: '/members',
  component: lazyRouteComponent(() => import('./pages/members'), 'Members'),
})

const operator = createRoute({
  getParentRoute: () => inside,
  path: '/operator',
  component: Outlet,
  beforeLoad: ({ context }) => {
    if (!context.session.has_operator_pages) redirect({ to: '/', throw: true })
  },
})

const hosts = createRoute({
  getParentRoute: () => operator,
  path: '/hosts',
  component: lazyRouteComponent(() => import('./pages/operator/hosts'), 'Hosts'),
})

const devices = createRoute({
  getParentRoute: () => operator,
  path: '/devices',
  component: lazyRouteComponent(() => import('./pages/operator/devices'), 'Devices'),
})

const allProjects = createRoute({
  getParentRoute: () => operator,
  path: '/projects',
  component: lazyRouteComponent(() => import('./pages/operator/projects'), 'AllProjects'),
})

const library = createRoute({
  getParentRoute: () => operator,
  path: '/library',
  component: lazyRouteComponent(() => import('./pages/operator/library'), 'LibraryPage'),
})

const audit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  component: lazyRouteComponent(() => import('./pages/operator/audit'), 'Audit'),
})

const system = createRoute({
  getParentRoute: () => operator,
  path: '/system',
  component: lazyRouteComponent(() => import('./pages/operator/system'), 'SystemPage'),
})

const tree = root.addChildren([
  signIn,
  signUp,
  callback,
  forgot,
  welcome,
  inside.addChildren([
    home,
    projects,
    allPhones,
    requests,
    account,
    connect,
    authorize,
    operator.addChildren([hosts, devices, allProjects, library, audit, system]),
    project.addChildren([phones, phone, keys, activity, events, webhooks, webhook, usage, credit, members]),
  ]),
])

export const createAppRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: tree,
    basepath: '/console',
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingComponent: Loading,
    defaultErrorComponent: Failure,
    defaultNotFoundComponent: NotFound,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
