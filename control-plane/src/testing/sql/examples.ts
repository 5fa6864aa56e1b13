/** Statements for the messages of `statements.test.ts`, each with one mistake. Nothing runs them. */
import { type Reader } from '../../base/db/database.js'
import { Prisma } from '../../gen/prisma/client.js'

export const wrongStatements = (db: Reader, where: Prisma.Sql) => [
  db.$queryRaw`select id from phone`,
  db.$queryRaw<{ id: string; name: string }[]>`select id from phones`,
  db.$queryRaw<{ id: string }[]>`select id, name from phones`,
  db.$queryRaw<{ total: number }[]>`select count(*) as total from phones`,
  db.$queryRaw<{ total: bigint }[]>`select sum(spent_micros) as total from project_months`,
  db.$queryRaw<{ code: string }[]>`select failure_code as code from phones`,
  db.$queryRaw<{ serial: string }[]>`select d.serial from phones p left join devices d on d.phone_id = p.id`,
  db.$queryRaw<{ id: string }[]>`select id from phones ${where}`,
  db.$queryRaw<{ id: bigint }[]>`select ${columnOf(true)} from phones`,
]

/** Only the column of the second branch is missing. */
const columnOf = (isFirst: boolean): Prisma.Sql =>
  isFirst ? Prisma.sql`1::int8 as id` : Prisma.sql`ids as id`

export const rightStatements = (db: Reader) => [
  db.$queryRaw<{ code: string }[]>`select failure_code as code from phones where failure_code <> ''`,
  db.$queryRaw<
    { metadata: Record<string, string>; ids: string[] }[]
  >`select metadata, array[id] as ids from phones`,
]
