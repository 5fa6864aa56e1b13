/** The content that is shown while data is being read, or after it could not be read. */
import { CircleAlert } from 'lucide-react'
import { type ReactNode } from 'react'
import { messageOf } from '../api/client'
import { Button } from './button'
import { Empty, Loading } from './page'

interface FailedProps {
  query: { error: unknown; isFetching: boolean; refetch: () => Promise<unknown> }
}

export const Failed = ({ query }: FailedProps) => (
  <Empty icon={<CircleAlert className="size-5" />} title={messageOf(query.error)}>
    <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
      Try again
    </Button>
  </Empty>
)

interface LoadedProps<T> {
  query: FailedProps['query'] & { data: T | undefined; isPending: boolean }
  /** Shows the data. Data that was read once stays when a later read fails. */
  children?: (data: T) => ReactNode
}

export function Loaded<T>({ query, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children?.(query.data)
  return query.isPending ? <Loading /> : <Failed query={query} />
}
