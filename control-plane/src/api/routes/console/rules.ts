/**
 * The right that each request of `/console/api` needs. No other file decides the rights of the console; `gate.ts`
 * applies the rules. A route without a rule prevents the start.
 */
import { type Role } from '../../../people/users/types.js'

export interface Rule {
  /** `anyone`: no sign-in needed. A role: the lowest role in the project of the path. */
  who: 'anyone' | 'user' | 'operator' | Role
  /** The request needs a password or passkey within the last minutes. */
  isRecent?: true
  /** A page sends many of these requests, so they have a separate limit. */
  isFrequent?: true
}

const anyone: Rule = { who: 'anyone' }
const user: Rule = { who: 'user' }
const viewer: Rule = { who: 'viewer' }
const member: Rule = { who: 'member' }
const owner: Rule = { who: 'owner' }
const operator: Rule = { who: 'operator' }
const recently = (rule: Rule): Rule => ({ ...rule, isRecent: true })

/** Rules by method and path below `/console/api`. */
export const rules = {
  'GET /session': anyone,
  'POST /auth/sign-in/email': anyone,
  'POST /auth/sign-out': user,
  'GET /auth/passkey/generate-authenticate-options': anyone,
  'POST /auth/passkey/verify-authentication': anyone,
  'GET /auth/passkey/generate-register-options': recently(user),
  'POST /auth/passkey/verify-registration': recently(user),
  'POST /auth/providers/:provider': anyone,
  'POST /auth/providers/:provider/callback': anyone,
  'POST /sign-ups': anyone,
  'POST /invitations/look': anyone,
  'POST /invitations/passkey': anyone,
  'POST /invitations/accept': anyone,
  'POST /resets': anyone,
  'POST /resets/accept': anyone,

  'POST /me/password': recently(user),
  'GET /me/sessions': user,
  'DELETE /me/sessions/:session': user,
  'GET /me/passkeys': user,
  'DELETE /me/passkeys/:passkey': recently(user),
  'GET /me/accounts': user,
  'POST /me/accounts/:provider': recently(user),
  'DELETE /me/accounts/:account': recently(user),

  'POST /terminals/look': user,
  'POST /terminals/deny': user,
  'POST /projects/:project/terminals/allow': recently(member),

  'POST /connectors/look': user,
  'POST /connectors/deny': user,
  'POST /projects/:project/connectors': recently(member),

  'POST /projects': user,
  'GET /spending': user,
  // The handlers look up the user's projects.
  'GET /phones': user,
  'GET /handoffs': user,
  'GET /changes': user,
  'GET /projects/:project': viewer,
  'GET /projects/:project/keys': viewer,
  'POST /projects/:project/keys': recently(member),
  'DELETE /projects/:project/keys/:key': member,
  'GET /projects/:project/webhooks': viewer,
  'POST /projects/:project/webhooks': recently(member),
  // The URL of a webhook decides who gets the events.
  'PATCH /projects/:project/webhooks/:webhook': recently(member),
  'PUT /projects/:project/webhooks/:webhook/enabled': member,
  'DELETE /projects/:project/webhooks/:webhook': member,
  'POST /projects/:project/webhooks/:webhook/rotate': recently(member),
  'POST /projects/:project/webhooks/:webhook/test': member,
  'GET /projects/:project/webhooks/:webhook/deliveries': viewer,
  'POST /projects/:project/webhooks/:webhook/deliveries/:delivery/retry': member,
  'GET /projects/:project/phones': viewer,
  'POST /projects/:project/phones': member,
  'GET /projects/:project/changes': viewer,
  'GET /projects/:project/phones/:phone': viewer,
  // The link of a viewer cannot control the phone.
  'POST /projects/:project/phones/:phone/live': viewer,
  'GET /projects/:project/phones/:phone/thumbnail': { ...viewer, isFrequent: true },
  'GET /projects/:project/phones/:phone/sessions': viewer,
  'GET /projects/:project/phones/:phone/steps': viewer,
  'GET /projects/:project/phones/:phone/steps/:step': viewer,
  'GET /projects/:project/phones/:phone/steps/:step/picture': viewer,
  'GET /projects/:project/phones/:phone/control': viewer,
  'POST /projects/:project/phones/:phone/control': member,
  'POST /projects/:project/phones/:phone/control/:handoff/end': member,
  'GET /projects/:project/phones/:phone/screen': viewer,
  'GET /projects/:project/phones/:phone/installs': viewer,
  'POST /projects/:project/phones/:phone/installs': member,
  'GET /projects/:project/phones/:phone/recordings': viewer,
  'POST /projects/:project/phones/:phone/recordings': member,
  'POST /projects/:project/phones/:phone/recordings/:recording/stop': member,
  'DELETE /projects/:project/phones/:phone/recordings/:recording': member,
  'GET /projects/:project/phones/:phone/recordings/:recording/video': viewer,
  'GET /projects/:project/phones/:phone/files': viewer,
  'GET /projects/:project/phones/:phone/files/content': viewer,
  'PUT /projects/:project/phones/:phone/files': member,
  'DELETE /projects/:project/phones/:phone/files': member,
  // The clipboard may hold a password, so the right is the same as for keys.
  'GET /projects/:project/phones/:phone/clipboard': member,
  'PUT /projects/:project/phones/:phone/clipboard': member,
  'GET /projects/:project/phones/:phone/location': viewer,
  'PUT /projects/:project/phones/:phone/location': member,
  'DELETE /projects/:project/phones/:phone/location': member,
  'GET /projects/:project/phones/:phone/logs': viewer,
  'POST /projects/:project/uploads': member,
  'GET /projects/:project/uploads/:upload': viewer,
  'POST /projects/:project/phones/:phone/start': member,
  'POST /projects/:project/phones/:phone/park': member,
  'DELETE /projects/:project/phones/:phone': member,
  'GET /projects/:project/activity': viewer,
  'GET /projects/:project/events': viewer,
  'GET /projects/:project/usage': viewer,
  'GET /projects/:project/limits': viewer,
  'GET /projects/:project/ledger': viewer,
  'POST /projects/:project/checkouts': recently(owner),
  'GET /projects/:project/checkouts/:checkout': viewer,
  // A receipt names the payer.
  'GET /projects/:project/checkouts/:checkout/receipt': owner,
  'GET /projects/:project/members': viewer,
  'PATCH /projects/:project/members/:user': recently(owner),
  'DELETE /projects/:project/members/:user': recently(owner),
  'POST /projects/:project/invitations': recently(owner),
  'DELETE /projects/:project/invitations/:invitation': owner,

  // Only consoles with the operators' pages have these routes: docs/decisions/0291
  'GET /operator/hosts': operator,
  'POST /operator/hosts/join-tokens': recently(operator),
  'POST /operator/hosts/:host/drain': operator,
  'POST /operator/hosts/:host/undrain': operator,
  'POST /operator/hosts/:host/retire': recently(operator),
  'GET /operator/devices': operator,
  'POST /operator/devices/:device/enroll': recently(operator),
  'POST /operator/devices/:device/release': recently(operator),
  'POST /operator/devices/:device/drain': operator,
  'POST /operator/devices/:device/undrain': operator,
  'POST /operator/devices/:device/maintenance': operator,
  'DELETE /operator/devices/:device/maintenance': operator,
  'GET /operator/library/apps': operator,
  'POST /operator/library/files': operator,
  'POST /operator/library/apps': recently(operator),
  'DELETE /operator/library/apps/:package': recently(operator),
  'GET /operator/projects': operator,
  'PATCH /operator/projects/:project': recently(operator),
  'GET /operator/audit': operator,
  'GET /operator/invitations': operator,
  'DELETE /operator/invitations/:invitation': operator,
  'GET /operator/system': operator,
  'POST /operator/service/pause': recently(operator),
  'POST /operator/service/resume': operator,
} as const satisfies Readonly<Record<string, Rule>>

export type RouteName = keyof typeof rules

/** True for a route that only a console with the operators' pages has. @param name a key of `rules` */
export const isOperatorRoute = (name: string): boolean => / \/operator\//.test(name)
