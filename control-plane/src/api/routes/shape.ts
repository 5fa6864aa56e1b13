/**
 * The parameters, body and answer of a route of the operator's listener or of `/console/api`. `app/route-shapes.ts` collects the shapes, from
 * which `clients/generated` makes the types of `ctl` and of the console.
 */
import { z } from 'zod'

export interface Shape {
  /** Names of the parameters of the query. */
  query?: readonly string[]
  body?: z.ZodType
  /** The JSON of a success. Omitted for bytes, and for JSON that no client reads. */
  answer?: z.ZodType
}

declare module 'fastify' {
  interface FastifyContextConfig {
    shape?: Shape
  }
}

/** The parameters that a path names: `{ ref: string }` for `/hosts/:ref/drain`. */
export type ParamsOf<U extends string> = U extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Record<Name, string> & ParamsOf<`/${Tail}`>
    : Record<Rest, string>
  : unknown

/** Lists without pages. */
export const listOf = <S extends z.ZodType>(item: S) => z.object({ data: z.array(item) })
/** A page of `/operator/v1`. `next_before`: `before` of the next page; null: this is the last. */
export const pageBefore = <S extends z.ZodType>(item: S) =>
  listOf(item).extend({ next_before: z.string().nullable() })
