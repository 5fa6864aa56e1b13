/** Asks Postgres about the columns of a statement, without executing the statement. */
import pg from 'pg'

/** A column of a statement's result. */
export interface Column {
  name: string
  /** The name in `pg_type`, such as `int8`. */
  type: string
  /** False also for computed values, of which Postgres does not know whether they are null. */
  isNullable: boolean
}

/** The values that Prisma and `pg` both return for types of Postgres, except null. `_text` is a list of texts. */
export interface DriverValues {
  _text: readonly string[]
  bool: boolean
  bytea: Uint8Array
  float8: number
  int2: number
  int4: number
  int8: bigint
  json: unknown
  jsonb: unknown
  text: string
  timestamptz: Date
}

/** Knows the columns of the tables of a database. The connection serves no other purpose. */
export class Describer {
  private constructor(
    private readonly client: pg.Client,
    private readonly typeNames: ReadonlyMap<number, string>,
    /** Columns that can be null, each by the OID of its table and its number. */
    private readonly nullable: ReadonlySet<string>,
  ) {}

  static async create(databaseUrl: string): Promise<Describer> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    const types = await client.query<{ oid: number; name: string }>(
      'select oid, typname as name from pg_type',
    )
    const nullable = await client.query<{ key: string }>(`select attrelid || ' ' || attnum as key
      from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relkind = 'r' and not attnotnull`)
    // Lets the planner compare the conditions of a statement with each other; see `isNeverNull`.
    await client.query('set constraint_exclusion = on')
    return new Describer(
      client,
      new Map(types.rows.map(({ oid, name }) => [oid, name])),
      new Set(nullable.rows.map(({ key }) => key)),
    )
  }

  close(): Promise<void> {
    return this.client.end()
  }

  /** @throws the error of Postgres for a statement that it cannot prepare */
  async columnsOf(text: string): Promise<Column[]> {
    const fields = await this.fieldsOf(text)
    const plan = /\b(left|right|full) join\b/i.test(text) ? await this.planOf(text) : {}
    const joined = new Set(outputsOfOuterJoins(plan))
    return fields.map(({ name, tableID, columnID, dataTypeID }, index) => ({
      name,
      type: this.typeNames.get(dataTypeID) ?? String(dataTypeID),
      isNullable: this.nullable.has(`${tableID} ${columnID}`) || joined.has(plan.Output?.[index] ?? ''),
    }))
  }

  /** True if the conditions of a `select` exclude null from a column: Postgres then plans no search for null. */
  async isNeverNull(text: string, column: string): Promise<boolean> {
    try {
      let plan = await this.planOf(`select from (${text}) statement where "${column}" is null`)
      while (plan.Plans?.[0] && plan.Plans.length === 1) plan = plan.Plans[0]
      return plan['One-Time Filter'] === 'false'
    } catch (error) {
      // A statement that locks or changes rows cannot be part of another statement.
      if (error instanceof pg.DatabaseError) return false
      throw error
    }
  }

  /** Sends Parse and Describe (PostgreSQL's protocol, "Extended Query"), for which `pg` has no function. */
  private fieldsOf(text: string): Promise<pg.FieldDef[]> {
    return new Promise((resolve, reject) => {
      let fields: pg.FieldDef[] = []
      this.client.query({
        submit(connection: pg.Connection) {
          connection.parse({ name: '', text, types: [] }, true)
          connection.describe({ type: 'S' }, true)
          connection.sync()
        },
        handleRowDescription(message: { fields: pg.FieldDef[] }) {
          fields = message.fields
        },
        handleReadyForQuery: () => resolve(fields),
        handleError: reject,
      })
    })
  }

  private async planOf(text: string): Promise<Plan> {
    const { rows } = await this.client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (generic_plan, verbose, format json) ${text}`,
    )
    return rows[0]?.['QUERY PLAN'][0]?.Plan ?? {}
  }
}

interface Plan {
  'Join Type'?: string
  'Parent Relationship'?: string
  'One-Time Filter'?: string
  Output?: string[]
  Plans?: Plan[]
}

const optionalSides: Record<string, string[]> = {
  Left: ['Inner'],
  Right: ['Outer'],
  Full: ['Inner', 'Outer'],
}

/** The values that an outer join can make null. */
function outputsOfOuterJoins({ 'Join Type': type = '', Plans: plans = [] }: Plan): string[] {
  return plans.flatMap((plan) => {
    const isOptional = optionalSides[type]?.includes(plan['Parent Relationship'] ?? '') === true
    return [...(isOptional ? (plan.Output ?? []) : []), ...outputsOfOuterJoins(plan)]
  })
}
