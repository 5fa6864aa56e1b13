/** Answers of `/console/api` that `/v1` and `/operator/v1` do not have. Times are ISO 8601 in UTC, money is US dollars with six decimals. */
import { z } from 'zod'
import { presets, scopes } from '../../../base/core/caller.js'
import { handoffStatuses, phoneStatuses } from '../../../base/core/statuses.js'
import { eventTypes } from '../../../events/events/types.js'
import { roles } from '../../../people/users/types.js'
import { deviceStates } from '../../../rental/devices/link.js'
import { installsSchema } from '../apps/schemas.js'
import { eventPageSchema } from '../events/schemas.js'
import {
  activityAnswer,
  deviceAnswer,
  hostAnswer,
  libraryAppAnswer,
  serviceAnswer,
} from '../operator/answers.js'
import { accountSchema, phoneSchema } from '../schemas.js'
import { listOf } from '../shape.js'
import { webhookSchema } from '../webhooks/schemas.js'

const text = z.string()
const maybe = text.nullable()
const count = z.int()

const projectRef = z.object({ id: text, name: text, role: z.enum(roles) })
const providerRef = z.object({ id: text, name: text })

export const sessionAnswer = z.object({
  csrf_token: text,
  user: z.object({ id: text, name: text, email: text, is_operator: z.boolean() }).nullable(),
  projects: z.array(projectRef),
  /** Origins of pages that may use passkeys. */
  passkey_origins: z.array(text),
  /** The service can send mail. */
  has_mail: z.boolean(),
  /** A person without an invitation can get an account by mail. */
  can_sign_up: z.boolean(),
  providers: z.array(providerRef),
  console_url: text,
  has_operator_pages: z.boolean(),
  /** The address of the operators' pages; null: they are at this address, or the user is not an operator. */
  operator_console_url: maybe,
  /** Address of the API. */
  base_url: text,
})

/** The address at the identity provider that the page opens. */
export const addressAnswer = z.object({ url: text })
/**
 * A sign-in at a provider. `is_link`: the sign-in added an account to the user. `is_new`: the sign-in created
 * the user.
 */
export const finishedAnswer = z.object({ is_link: z.boolean(), is_new: z.boolean() })

export const openInvitationAnswer = z.object({
  role: z.enum([...roles, 'operator', 'reset', 'sign_up']),
  email: maybe,
  project: z.object({ id: text, name: text }).nullable(),
})
/** `options`: `PublicKeyCredentialCreationOptionsJSON`. */
export const passkeyAnswer = z.object({ handle: text, options: z.unknown() })
const invitation = openInvitationAnswer
  .omit({ project: true })
  .extend({ id: text, created_at: text, expires_at: text })
/** `url`: the link, which is never shown again; null: the person got the link by mail. */
export const newInvitationAnswer = invitation.extend({ url: maybe, is_mailed: z.boolean() })
export const membersAnswer = listOf(
  z.object({ user_id: text, name: text, email: text, role: z.enum(roles), since: text }),
).extend({ invitations: z.array(invitation.extend({ role: z.enum(roles) })) })

export const signInAnswer = z.object({
  id: text,
  is_current: z.boolean(),
  address: maybe,
  user_agent: maybe,
  signed_in_at: text,
  expires_at: text,
})
export const passkeyRowAnswer = z.object({ id: text, name: maybe, created_at: maybe })
/** `is_usable`: false when the operator no longer configures the provider. */
export const accountsAnswer = listOf(
  z.object({ id: text, name: text, is_usable: z.boolean(), created_at: text }),
).extend({ has_password: z.boolean() })

/** A client's request for access by OAuth. Its texts are hostile. */
export const askingAnswer = z.object({
  /** `host`: the host that publishes the client's metadata; null: nobody vouches for the client. */
  client: z.object({ name: text, id: text, host: maybe }),
  redirect: z.object({ host: text, is_this_machine: z.boolean() }),
  /** The rights that the page proposes. */
  preset: z.enum(presets),
  /** The scopes that the client requested, and the only scopes that it can get; empty: the client requested no scopes. */
  scopes: z.array(z.enum(scopes)).readonly(),
})
export const redirectAnswer = z.object({ redirect_to: text })

export const ownProjectAnswer = accountSchema.omit({ project: true }).extend({
  id: text,
  name: text,
  role: z.enum(roles),
  /** The balance minus the credit that open sessions reserve. */
  available_usd: text,
  outlook: z.object({
    /** `empty`: no phone can start. `low`: the credit lasts for less than a day. */
    state: z.enum(['ok', 'low', 'empty']),
    per_day_usd: text,
    /** Null: nothing is spent. */
    lasts_seconds: z.number().nullable(),
  }),
  /** The limits of one payment in whole dollars; null: the service does not sell credit. */
  purchase: z.object({ min_usd: count, max_usd: count, default_usd: count }).nullable(),
})

export const allPhonesAnswer = listOf(phoneSchema.extend({ project_id: text })).extend({
  next_cursor: maybe,
  /** All projects of the user, including those without phones on this page. */
  projects: z.array(projectRef),
})

/** `control`: the link accepts input. */
export const liveAnswer = z.object({ url: text, expires_at: text, control: z.boolean() })

/** A hand-over that is in progress. */
const control = z.object({
  id: text,
  status: z.enum(handoffStatuses),
  /** The agent's request. Null: a member took over without a request, or the user is a viewer. */
  message: maybe,
  /** The member who took over without a request. */
  by: maybe,
  is_you: z.boolean(),
  expires_at: text,
})
export const controlledAnswer = z.object({ control: control.nullable() })
export const handoffAnswer = control.extend({
  phone: z.object({ id: text, name: text }),
  project_id: text,
  created_at: text,
})

export const installAnswer = installsSchema.shape.data.element

export const filesAnswer = listOf(
  z.object({
    name: text,
    type: z.enum(['file', 'directory', 'other']),
    /** Bytes. */
    size: z.number(),
    modified_at: maybe,
  }),
).extend({ path: text })
export const writtenAnswer = z.object({ path: text, size: z.number() })
export const clipboardAnswer = z.object({ text })
export const locationAnswer = z.object({ lat: z.number(), lng: z.number() })
export const logsAnswer = listOf(
  z.object({ at: maybe, level: text, tag: text, package: maybe, message: text }),
).extend({ next_cursor: maybe })

/** `text`: a short description for people. */
export const entryAnswer = activityAnswer.omit({ summary: true }).extend({ text })
/** `types`: the types that exist. */
export const eventsAnswer = eventPageSchema.extend({ types: z.array(z.enum(eventTypes)).readonly() })

export const webhookAnswer = webhookSchema.extend({
  /** `is_after_failures`: attempts failed for three days, which switched the webhook off. */
  switched_off: z.object({ at: text, is_after_failures: z.boolean() }).nullable(),
  /** False: deliveries fail until the secret is rotated. */
  is_secret_readable: z.boolean(),
})
/** `secret` is never shown again. */
export const newWebhookAnswer = webhookAnswer.extend({ secret: text })
/** `most`: the largest number of webhooks of a project. `types`: the types of events that exist. */
export const webhooksAnswer = listOf(webhookAnswer).extend({
  most: count,
  types: z.array(z.enum(eventTypes)).readonly(),
})

const day = z.object({ day: text, cost_usd: text, seconds: z.number() })
const spent = z.object({ id: text, name: text, cost_usd: text, seconds: z.number() })
/**
 * `days` begins with the oldest day, and includes days without cost. The other lists begin with the highest
 * cost.
 */
export const usageAnswer = z.object({ days: z.array(day), phones: z.array(spent), keys: z.array(spent) })
export const spendingAnswer = z.object({
  days: z.array(day),
  projects: z.array(spent.extend({ role: z.enum(roles), available_usd: text })),
})
/** `amount_usd`: negative if the amount was taken from the credit. */
export const ledgerEntryAnswer = z.object({
  id: text,
  at: text,
  kind: text,
  amount_usd: text,
  session_id: maybe,
  checkout_id: maybe,
  phone_id: maybe,
  phone: maybe,
})

const level = z.object({ used: z.number(), limit: z.number() })
export const limitsAnswer = z.object({
  /** All projects of the owner together. */
  running: level,
  phones: level,
  spent_this_month_usd: z.object({ used: text, limit: text }),
  recordings: level,
  recording_bytes: level,
  upload_bytes: level,
  uploads_today: level,
  keys: level,
  webhooks: level,
  /** The size above which the oldest steps are deleted. Null: no steps are recorded. */
  steps_max_bytes: z.number().nullable(),
})

/** `url`: the page of the payment provider. */
export const newCheckoutAnswer = z.object({ id: text, url: text })
export const checkoutAnswer = z.object({
  id: text,
  amount_usd: text,
  created_at: text,
  /** Null: the payment is not confirmed. */
  paid_at: maybe,
  /** The balance of the project, after the payment. */
  balance_usd: text,
})
/** The address of a receipt at the payment provider. */
export const receiptAnswer = z.object({ url: text })

export const rackAnswer = hostAnswer
  .required()
  .extend({
    load: z.number().nullable(),
    clock_ahead_ms: z.number().nullable(),
    ports: z.array(
      deviceAnswer
        .pick({ id: true, serial: true, maker: true, model: true, link: true, drained_at: true })
        .extend({
          state: z.enum(deviceStates),
          maintenance_at: maybe,
          phone: z
            .object({ id: text, name: text, status: z.enum(phoneStatuses), project_id: text })
            .nullable(),
        }),
    ),
  })
/** An administrator runs `command` on the machine that joins. */
export const joinCommandAnswer = z.object({ command: text, expires_at: text })
/** `is_running`: a phone runs on the device. */
export const runningDeviceAnswer = deviceAnswer.extend({ is_running: z.boolean() })
export const libraryAnswer = listOf(libraryAppAnswer).extend({ is_configured: z.boolean() })
export const systemAnswer = z.object({
  service: serviceAnswer,
  postgres: z.object({
    version: maybe,
    size_bytes: z.number(),
    connections: count,
    max_connections: count,
    schema: count,
  }),
  nats: z.object({ is_connected: z.boolean() }),
  storage: z.object({ kind: z.enum(['fs', 's3', 'off']), place: maybe }),
  replicas: z.array(z.object({ id: text, beat_at: text, is_running: z.boolean() })),
  /** The release of the replica that answers. */
  version: text,
  replica_id: text,
  clock_ahead_ms: z.number().nullable(),
})
