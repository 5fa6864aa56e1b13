/**
 * The statements that write steps and screens. Each statement is prepared, and one is sent with every batch.
 */
import { type Core } from '../../base/core/core.js'
import { Prisma } from '../../gen/prisma/client.js'
import { type StepPicture, type StepStatus, type StepWay } from './types.js'
import { type StepWrite } from './writer.js'

/** The bytes that a row uses besides its JSON. */
const rowBytes = 200

export interface NewStep {
  id: string
  projectId: string
  phoneId: string
  requestId: string
  keyId: string
  via: StepWay
  client: string | null
  startedAt: Date
  /** Packed. */
  request: Buffer
  textKept: boolean
  /** Snapshots that the step's targets name. */
  snapshotIds: readonly string[]
}

export interface StepEnd {
  status: Exclude<StepStatus, 'running'>
  endedAt: Date
  /** Packed. */
  outcome: Buffer
  screen: NewScreen | null
  picture: (StepPicture & { storageId: string }) | null
}

export interface NewScreen {
  /** The snapshot. */
  id: string
  at: Date
  /** Packed. */
  body: Buffer
  jsonBytes: number
}

/**
 * Writes a running step (`end` is null), or a step with its end, whether its beginning was written or not.
 * The step belongs to the session of the phone in which it started, even if a later session has begun, and
 * begins with the last screen that was read in that session. The clocks of replicas differ by milliseconds,
 * so a step that seems to be before all sessions belongs to the first session. Writes nothing for a phone of
 * another project, and no beginning of a step without an open session.
 */
export async function writeStep({ read }: Core, step: NewStep, end: StepEnd | null): Promise<void> {
  const { id, projectId, phoneId, startedAt, request } = step
  const { screen = null, picture = null, outcome = null, endedAt = null } = end ?? {}
  const facts = picture && {
    format: picture.format,
    width: picture.width,
    height: picture.height,
    scale: picture.scale,
    size_bytes: picture.sizeBytes,
  }
  const bytes = request.length + rowBytes + (outcome?.length ?? 0) + (picture?.sizeBytes ?? 0)
  await read(Prisma.sql`with place as (
      select id, ended_at from (
        (select id, ended_at, false as is_later from sessions where phone_id = ${phoneId} and started_at <= ${startedAt}
          order by started_at desc, id desc limit 1)
        union all
        (select id, ended_at, true as is_later from sessions where phone_id = ${phoneId} and started_at > ${startedAt}
          order by started_at, id limit 1)) found
      where exists (select 1 from phones where id = ${phoneId} and project_id = ${projectId})
      order by is_later limit 1),
    before as (
      select c.id from step_screens c join place on c.session_id = place.id
      where c.phone_id = ${phoneId} and c.at <= ${startedAt} order by c.at desc limit 1),
    used as (
      update step_screens set is_used = true where phone_id = ${phoneId} and not is_used
        and id is distinct from ${screen?.id ?? null}
        and (id in (select id from before) or id = any(${[...step.snapshotIds]}::text[]))),
    screen as (${insertScreen(step, screen, Prisma.sql`place.id`, Prisma.sql`place`)}
      on conflict (phone_id, id) do update set is_used = true)
    insert into steps (id, project_id, phone_id, session_id, request_id, key_id, via, client, status, started_at,
      ended_at, request, outcome, text_kept, before_id, after_id, picture_id, picture, bytes)
    select ${id}, ${projectId}, ${phoneId}, place.id, ${step.requestId}, ${step.keyId}, ${step.via}, ${step.client},
      ${end?.status ?? 'running'}, ${startedAt}, ${endedAt}, ${request}, ${outcome}, ${step.textKept},
      (select id from before), ${screen?.id ?? null}, ${picture?.storageId ?? null},
      ${facts ? JSON.stringify(facts) : null}, ${bytes}
    from place where place.ended_at is null or ${end !== null}
    on conflict (id) do update set status = excluded.status, ended_at = excluded.ended_at, outcome = excluded.outcome,
      after_id = excluded.after_id, picture_id = excluded.picture_id, picture = excluded.picture,
      bytes = excluded.bytes where steps.ended_at is null`)
}

/** @param from the table with the session */
const insertScreen = (
  { projectId, phoneId }: Pick<NewStep, 'projectId' | 'phoneId'>,
  screen: NewScreen | null,
  sessionId: Prisma.Sql,
  from: Prisma.Sql,
  isUsed = true,
): Prisma.Sql => Prisma.sql`insert into step_screens
    (id, project_id, phone_id, session_id, at, body, json_bytes, is_used, bytes)
  select ${screen?.id ?? null}, ${projectId}, ${phoneId}, ${sessionId}, ${screen?.at ?? null}, ${screen?.body ?? null},
    ${screen?.jsonBytes ?? null}, ${isUsed}, ${(screen?.body.length ?? 0) + rowBytes}
  from ${from} where ${screen !== null}`

/** Writes a screen, which replaces the last screen that no step uses. */
export async function writeScreen(
  { read }: Core,
  of: { projectId: string; phoneId: string },
  screen: NewScreen,
): Promise<void> {
  await read(Prisma.sql`with place as (
      select s.id as session_id from phones p
        join sessions s on s.phone_id = p.id and s.ended_at is null and s.started_at <= ${screen.at}
      where p.id = ${of.phoneId} and p.project_id = ${of.projectId}),
    gone as (delete from step_screens where phone_id = ${of.phoneId} and not is_used and at < ${screen.at})
    ${insertScreen(of, screen, Prisma.sql`place.session_id`, Prisma.sql`place`, false)}
    on conflict (phone_id, id) do nothing`)
}

/**
 * Deletes a step of which no action ran. The screen before it no longer counts as used, so that the next read
 * replaces it, unless another step begins or ends with that screen.
 */
export async function dropStep({ read }: Core, id: string): Promise<void> {
  await read(Prisma.sql`with gone as (delete from steps where id = ${id} returning id, phone_id, before_id)
    update step_screens c set is_used = false from gone where c.phone_id = gone.phone_id and c.id = gone.before_id
      and not exists (
        select 1 from steps s where s.phone_id = c.phone_id and s.before_id = c.id and s.id <> gone.id)
      and not exists (select 1 from steps s where s.phone_id = c.phone_id and s.after_id = c.id and s.id <> gone.id)`)
}

/** The write of a step, as the writer receives it. It contains only what the statement needs. */
export const stepWrite = (core: Core, step: NewStep, end: StepEnd): StepWrite => ({
  bytes: rowBytes + step.request.length + end.outcome.length + (end.screen?.body.length ?? 0),
  run: () => writeStep(core, step, end),
})

/** The write of `dropStep`. */
export const stepDrop = (core: Core, id: string): StepWrite => ({
  bytes: rowBytes,
  run: () => dropStep(core, id),
})
