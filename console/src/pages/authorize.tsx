/** A client asks for access by OAuth. The page shows the client, the address of the answer, and the rights. */
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { CircleCheck, Plug } from 'lucide-react'
import { useState } from 'react'
import { call, messageOf, RequestFailed } from '../api/client'
import { type AskingClient, type Scope } from '../api/types'
import { Button } from '../ui/button'
import { Name } from '../ui/name'
import { Card, Empty, Loading, Page } from '../ui/page'
import { GrantForm } from './keys/grant-form'

export function Authorize() {
  const { request = '' } = useSearch({ from: '/inside/authorize' })
  const query = unpack(request)
  const asking = useQuery({
    queryKey: ['asking client', query],
    queryFn: () => call('POST /connectors/look', {}, { query }),
    retry: false,
    staleTime: Infinity,
  })
  return (
    <Page title="Connect an app" description="An app asks to use phones of one of your projects.">
      <Card className="max-w-lg">
        {asking.isPending ? (
          <Loading />
        ) : asking.isError ? (
          <Refused error={asking.error} />
        ) : (
          <Decide key={query} query={query} asking={asking.data} />
        )}
      </Card>
    </Page>
  )
}

/** The client chose the address, so the person decides whether to return. */
function Refused({ error }: { error: Error }) {
  const to = error instanceof RequestFailed ? error.body.details['redirect_to'] : null
  return (
    <Empty icon={<Plug className="size-5" />} title="This request cannot be allowed">
      <p role="alert">{messageOf(error)}</p>
      {typeof to === 'string' && <Button onClick={() => leaveFor(to)}>Return to {new URL(to).host}</Button>}
    </Empty>
  )
}

function Decide({ query, asking }: { query: string; asking: AskingClient }) {
  const [isLeaving, setIsLeaving] = useState(false)
  if (isLeaving)
    return (
      <Empty icon={<CircleCheck className="size-5" />} title={`Returning to ${asking.redirect.host}`}>
        <p>You can close this page if nothing happens.</p>
      </Empty>
    )
  return (
    <GrantForm
      hint="The app spends the credit of this project."
      preset={asking.preset}
      decide={async (grant) => {
        const { redirect_to: to } = await (grant === null
          ? call('POST /connectors/deny', {}, { query })
          : call(
              'POST /projects/:project/connectors',
              { project: grant.project },
              { query, ...grant.rights },
            ))
        leaveFor(to)
        setIsLeaving(true)
      }}
    >
      <Asks asking={asking} />
    </GrantForm>
  )
}

const doesOf: Record<Scope, string> = {
  'phones:read': 'see phones and their screens',
  'phones:control': 'use phones',
  'phones:create': 'rent phones',
  'phones:delete': 'delete phones',
}

/** Names the client by the hosts, which it cannot choose. */
function Asks({ asking: { client, redirect, scopes } }: { asking: AskingClient }) {
  return (
    <div className="grid gap-3">
      <p className="flex items-start gap-3">
        <Plug className="mt-0.5 size-5 shrink-0 text-muted" aria-hidden />
        <span className="min-w-0 break-words">
          <strong>
            <Name>{client.name}</Name>
          </strong>{' '}
          asks for access by MCP until you revoke it.
        </span>
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-md border border-border bg-code px-3 py-2 text-[13px]">
        <dt className="text-muted">Published by</dt>
        <dd className={client.host === null ? 'text-warn' : 'font-mono break-all'}>
          {client.host ?? 'unknown: the app has chosen its name'}
        </dd>
        <dt className="text-muted">Returns to</dt>
        <dd className="font-mono break-all">{redirect.host}</dd>
        {scopes.length > 0 && (
          <>
            <dt className="text-muted">Asks to</dt>
            <dd>{scopes.map((scope) => doesOf[scope]).join(', ')}. It gets no other rights.</dd>
          </>
        )}
      </dl>
      <p className="text-[13px] text-muted">
        {redirect.is_this_machine
          ? 'Access goes to a program on this computer. Allow it only if you have just started that program.'
          : 'Allow it only if you know these hosts and have just made this request.'}
      </p>
    </div>
  )
}

/** The query of a request that the control plane has packed. Empty: the packed text is not valid. */
function unpack(packed: string): string {
  if (!packed.startsWith('q_')) return ''
  try {
    return atob(packed.slice(2).replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

/** Opens the client's address. Only web addresses are allowed, because other schemes could run code in the console. */
function leaveFor(address: string): void {
  if (/^https?:$/.test(new URL(address).protocol)) window.location.assign(address)
}
