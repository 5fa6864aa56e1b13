/** Pages that could not be shown. */
import { Link, type ErrorComponentProps } from '@tanstack/react-router'
import { CircleAlert, SearchX } from 'lucide-react'
import { messageOf, RequestFailed } from '../api/client'
import { Button } from '../ui/button'
import { Card, Empty, Page } from '../ui/page'

export function Failure({ error, reset }: ErrorComponentProps) {
  const requestId = error instanceof RequestFailed ? error.body.request_id : ''
  return (
    <Page title="This page could not be shown">
      <Card>
        <Empty icon={<CircleAlert className="size-5" />} title={messageOf(error)}>
          {requestId !== '' && <code className="font-mono text-[13px]">{requestId}</code>}
          <Button onClick={reset}>Try again</Button>
        </Empty>
      </Card>
    </Page>
  )
}

export const NotFound = () => (
  <Page title="There is no such page">
    <Card>
      <Empty
        icon={<SearchX className="size-5" />}
        title="The address may be mistyped, or you have no access to it."
      >
        <Button asChild>
          <Link to="/">Go to the start</Link>
        </Button>
      </Empty>
    </Card>
  </Page>
)
