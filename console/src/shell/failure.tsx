/** Pages that could not be shown. */
import { Link, type ErrorComponentProps } from '@tanstack/react-router'
import { CircleAlert, SearchX } from 'lucide-react'
import { messageOf, RequestFailed } from '../api/client'
import { Button } from '../ui/button'
import { Card, Empty, Page } from '../ui/page'
import { Outside } from './outside'

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

const title = 'There is no such page'
const reason = 'The address may be mistyped, or you have no access to it.'

const ToStart = () => (
  <Button asChild>
    <Link to="/">Go to the start</Link>
  </Button>
)

export const NotFound = () => (
  <Page title={title}>
    <Card>
      <Empty icon={<SearchX className="size-5" />} title={reason}>
        <ToStart />
      </Empty>
    </Card>
  </Page>
)

/** For places where no surrounding page names the product. */
export const NotFoundOutside = () => (
  <Outside title={title} description={reason}>
    <ToStart />
  </Outside>
)
