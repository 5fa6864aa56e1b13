/** The content of a live page while it loads, fails, or is out of date. */
import { type UseQueryResult } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import { messageOf } from '../../api/client'
import { Loaded } from '../../ui/failed'
import { Card } from '../../ui/page'

interface Props<T> {
  query: UseQueryResult<T>
  children: (data: T) => ReactNode
}

export function Listed<T>({ query, children }: Props<T>) {
  if (query.data === undefined)
    return (
      <Card>
        <Loaded query={query} />
      </Card>
    )
  return (
    <>
      {query.isRefetchError && (
        <p role="status" className="text-danger">
          Not up to date: {messageOf(query.error)}
        </p>
      )}
      {children(query.data)}
    </>
  )
}

/** Pairs of a name and a value, in columns where there is room. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-4">
    {facts.map(([name, value]) => (
      <div key={name} className="grid min-w-0 grid-cols-1 content-start gap-0.5">
        <dt className="text-[13px] text-muted">{name}</dt>
        <dd className="break-words tabular-nums">{value}</dd>
      </div>
    ))}
  </dl>
)
