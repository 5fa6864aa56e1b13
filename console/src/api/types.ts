/** Names for the JSON of the console's API. */
import type { Answer, Body, Route, Routes } from './generated/routes'

/** An item of the list that a route answers. */
type ItemOf<R extends Route> = Answer<R> extends { data: readonly (infer Item)[] } ? Item : never

export type Session = Answer<'GET /session'>
export type ProjectRef = Session['projects'][number]
export type Role = ProjectRef['role']
/** An identity provider. */
export type ProviderRef = Session['providers'][number]

export type Member = ItemOf<'GET /projects/:project/members'>
export type Invitation = Answer<'GET /projects/:project/members'>['invitations'][number]
export type OpenInvitation = Answer<'POST /invitations/look'>

export type Project = Answer<'GET /projects/:project'>
export type Outlook = Project['outlook']
export type Limits = Answer<'GET /projects/:project/limits'>
export type Level = Limits['running']
export type Key = ItemOf<'GET /projects/:project/keys'>
export type NewKey = Body<'POST /projects/:project/keys'>
export type CreatedKey = Answer<'POST /projects/:project/keys'>
export type Expiry = NonNullable<NewKey['expires']>
export type Preset = Key['preset']
export type Profile = Key['profile']
export type WaitingTerminal = Answer<'POST /terminals/look'>
export type AskingClient = Answer<'POST /connectors/look'>
export type Scope = AskingClient['scopes'][number]

export type Spending = Answer<'GET /projects/:project/usage'>['phones'][number]
export type DaySpending = AllSpending['days'][number]
export type AllSpending = Answer<'GET /spending'>
export type LedgerEntry = ItemOf<'GET /projects/:project/ledger'>

export type ActivityEntry = ItemOf<'GET /projects/:project/activity'>
export type ProjectEvent = ItemOf<'GET /projects/:project/events'>
export type Webhook = Answer<'PATCH /projects/:project/webhooks/:webhook'>
export type EventType = NonNullable<Webhook['events']>[number]
export type WebhookFields = Required<Body<'POST /projects/:project/webhooks'>>
export type Delivery = ItemOf<'GET /projects/:project/webhooks/:webhook/deliveries'>

export type PhonePage = Answer<'GET /projects/:project/phones'>
export type Phone = PhonePage['data'][number]
export type PhoneStatus = Phone['status']
export type Handoff = ItemOf<'GET /handoffs'>
export type Control = NonNullable<Answer<'GET /projects/:project/phones/:phone/control'>['control']>
export type PhoneSession = ItemOf<'GET /projects/:project/phones/:phone/sessions'>
export type Step = Answer<'GET /projects/:project/phones/:phone/steps/:step'>
export type Action = Step['actions'][number]
export type Screen = Answer<'GET /projects/:project/phones/:phone/screen'>
export type Element = Screen['elements'][number]
export type Upload = Answer<'GET /projects/:project/uploads/:upload'>
export type Install = ItemOf<'GET /projects/:project/phones/:phone/installs'>
export type Recording = ItemOf<'GET /projects/:project/phones/:phone/recordings'>
export type FileEntry = ItemOf<'GET /projects/:project/phones/:phone/files'>
export type Location = Answer<'GET /projects/:project/phones/:phone/location'>
export type LogLine = ItemOf<'GET /projects/:project/phones/:phone/logs'>

export type Host = ItemOf<'GET /operator/hosts'>
export type HostState = Host['state']
/** A device in the list of a host. */
export type Port = Host['ports'][number]
export type Device = ItemOf<'GET /operator/devices'>
export type DeviceState = Device['state']
export type Condition = NonNullable<Device['condition']>
export type WipeCheck = Device['wipe_checks'][number]
export type OperatorProject = ItemOf<'GET /operator/projects'>
export type ProjectChange = Body<'PATCH /operator/projects/:project'>
export type AuditEntry = ItemOf<'GET /operator/audit'>
export type LibraryApp = ItemOf<'GET /operator/library/apps'>
export type OperatorLink = ItemOf<'GET /operator/invitations'>
export type System = Answer<'GET /operator/system'>

type QueryOf<R extends Route> = Routes[R] extends { query: infer Name extends string } ? Name : never
/** The filters of a list, which the page's address stores. */
type Filter<R extends Route, Name extends QueryOf<R>, Value = string> = Partial<Record<Name, Value>>

/** `by`: the ID of a key or user. */
export type ActivityFilter = Filter<'GET /projects/:project/activity', 'by' | 'phone'> &
  Filter<'GET /projects/:project/activity', 'refused', true>
export type EventFilter = Filter<'GET /projects/:project/events', 'type' | 'phone'>
/** `key`: the ID of the key that created them. `metadata`: `name=value`. */
export type PhoneFilter = Filter<'GET /projects/:project/phones', 'key' | 'metadata'> &
  Filter<'GET /projects/:project/phones', 'status', PhoneStatus>
/** `project`: the ID of a project. */
export type AllPhonesFilter = Filter<'GET /phones', 'project'> & Filter<'GET /phones', 'status', PhoneStatus>
export type PhonesView = 'list' | 'wall'

export const phoneStatuses = [
  'creating',
  'starting',
  'ready',
  'parking',
  'parked',
  'unavailable',
  'failed',
  'deleted',
] as const satisfies readonly PhoneStatus[]
