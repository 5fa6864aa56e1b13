/** A message in place of data that could not be read. */
import { CircleAlert } from 'lucide-react'
import { type ReactNode } from 'react'
import { messageOf } from '../api/client'
import { Button } from './button'
import { Empty } from './page'

interface FailedProps {
  query: { error: unknown; isFetching: boolean; refetch: () => Promise<unknown> }
  /** Left out: a warning sign. */
  icon?: ReactNode
}

export const Failed = ({ query, icon = <CircleAlert className="size-5" /> }: FailedProps) => (
  <Empty icon={icon} title={messageOf(query.error)}>
    <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
      Try again
    </Button>
  </Empty>
)
