/** The statements that write steps and screens. Each is one prepared statement, sent with every batch. */
import { type Core } from '../core/core.js'
import { Prisma } from '../gen/prisma/client.js'
import { type StepPicture, type StepStatus, type StepWay } from './types.js'

/** Bytes of a row without its JSON. */
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
  /** Snapshots that its targets name. */
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

const columns = Prisma.sql`id, project_id, phone_id, session_id, request_id, key_id, via, client, status, started_at,
  request, text_kept, before_id, bytes`

/**
 * Writes a step that begins. It belongs to the open session of its phone, and begins with the last screen that was read
 * in it; without a session, nothing is written.
 */
export async function beginStep({ read }: Core, step: NewStep): Promise<void> {
  const { id, projectId, phoneId, startedAt, request } = step
  await read(Prisma.sql`with place as (
      select s.id from phones p join sessions s on s.phone_id = p.id and s.ended_at is null
      where p.id = ${phoneId} and p.project_id = ${projectId}),
    before as (
      select c.id from step_screens c join place on c.session_id = place.id
      where c.phone_id = ${phoneId} order by c.at desc limit 1),
    used as (
      update step_screens set is_used = true where phone_id = ${phoneId} and not is_used
        and (id in (select id from before) or id = any(${[...step.snapshotIds]}::text[])))
    insert into steps (${columns}) select ${id}, ${projectId}, ${phoneId}, place.id, ${step.requestId}, ${step.keyId},
      ${step.via}, ${step.client}, 'running', ${startedAt}, ${request}, ${step.textKept},
      (select id from before), ${request.length + rowBytes} from place
    on conflict (id) do nothing`)
}

/** Completes a step, and writes it first when its beginning was not written. */
export async function endStep(core: Core, step: NewStep, end: StepEnd): Promise<void> {
  if (await completeStep(core, step, end)) return
  const { id, projectId, phoneId, startedAt, request } = step
  // Its session may have ended in the meantime.
  await core.read(Prisma.sql`insert into steps (${columns}) select ${id}, ${projectId}, ${phoneId}, s.id,
      ${step.requestId}, ${step.keyId}, ${step.via}, ${step.client}, 'running', ${startedAt}, ${request},
      ${step.textKept}, null, ${request.length + rowBytes}
    from sessions s where s.phone_id = ${phoneId} order by s.started_at desc, s.id desc limit 1
    on conflict (id) do nothing`)
  await completeStep(core, step, end)
}

/** Returns false when there is no such row. */
async function completeStep({ read }: Core, step: NewStep, end: StepEnd): Promise<boolean> {
  const { screen, picture } = end
  const added = end.outcome.length + (picture?.sizeBytes ?? 0)
  const facts = picture && {
    ...{ format: picture.format, width: picture.width, height: picture.height },
    ...{ scale: picture.scale, size_bytes: picture.sizeBytes },
  }
  const rows = await read<{ id: string }>(Prisma.sql`with step as (
      update steps set status = ${end.status}, ended_at = ${end.endedAt}, outcome = ${end.outcome},
        after_id = ${screen?.id ?? null}, picture_id = ${picture?.storageId ?? null},
        picture = ${facts ? JSON.stringify(facts) : null}::jsonb, bytes = octet_length(request) + ${added + rowBytes}
      where id = ${step.id} returning id, session_id),
    screen as (${insertScreen(step, screen, Prisma.sql`step.session_id`, Prisma.sql`step`)}
      on conflict (phone_id, id) do update set is_used = true)
    select id from step`)
  return rows.length > 0
}

/** @param from the table that has the session */
const insertScreen = (
  { projectId, phoneId }: Pick<NewStep, 'projectId' | 'phoneId'>,
  screen: NewScreen | null,
  sessionId: Prisma.Sql,
  from: Prisma.Sql,
  isUsed = true,
): Prisma.Sql => Prisma.sql`insert into step_screens
    (id, project_id, phone_id, session_id, at, body, json_bytes, is_used, bytes)
  select ${screen?.id ?? null}, ${projectId}, ${phoneId}, ${sessionId}, ${screen?.at ?? null}::timestamptz,
    ${screen?.body ?? null}::bytea, ${screen?.jsonBytes ?? null}::integer, ${isUsed},
    ${(screen?.body.length ?? 0) + rowBytes}
  from ${from} where ${screen?.id ?? null}::text is not null`

/** Replaces the last screen that no step uses. */
export async function writeScreen(
  { read }: Core,
  of: { projectId: string; phoneId: string },
  screen: NewScreen,
): Promise<void> {
  await read(Prisma.sql`with place as (
      select s.id as session_id from phones p join sessions s on s.phone_id = p.id and s.ended_at is null
      where p.id = ${of.phoneId} and p.project_id = ${of.projectId}),
    gone as (delete from step_screens where phone_id = ${of.phoneId} and not is_used and at < ${screen.at})
    ${insertScreen(of, screen, Prisma.sql`place.session_id`, Prisma.sql`place`, false)}
    on conflict (phone_id, id) do nothing`)
}

/** Nothing of its batch ran. */
export async function dropStep({ read }: Core, id: string): Promise<void> {
  await read(Prisma.sql`delete from steps where id = ${id}`)
}
