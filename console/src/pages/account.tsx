/** A user's own passkeys and sign-ins. */
import { useQuery } from '@tanstack/react-query'
import { Fingerprint, Plus } from 'lucide-react'
import { call } from '../api/client'
import { addPasskey } from '../api/passkeys'
import { useCanUsePasskeys, useSession } from '../api/session'
import { useChange } from '../shell/use-change'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { Name } from '../ui/name'
import { Loading, Page } from '../ui/page'
import { Time } from '../ui/time'
import { Linked } from './account/linked'
import { Removable } from './account/removable'
import { Section } from './account/section'
import { NewPassword } from './new-password'

export function Account() {
  const { user, console_url: consoleUrl } = useSession()
  const hasPasskeys = useCanUsePasskeys()
  const isElsewhere = !consoleUrl.startsWith(`${window.location.origin}/`)
  return (
    <Page
      title="Your account"
      description={
        <>
          <Name>{user?.name ?? ''}</Name> · {user?.email}
        </>
      }
    >
      {hasPasskeys ? (
        <Passkeys />
      ) : (
        isElsewhere && (
          <p className="text-muted">
            Passkeys work at{' '}
            <a className="underline underline-offset-2" href={consoleUrl}>
              {consoleUrl}
            </a>
            .
          </p>
        )
      )}
      <Linked />
      <NewPassword />
      <SignIns />
    </Page>
  )
}

function Passkeys() {
  const { user } = useSession()
  const list = useQuery({ queryKey: ['passkeys'], queryFn: () => call('GET /me/passkeys', {}) })
  const change = useChange(['passkeys'])
  const rows = (list.data?.data ?? []).map((row) => ({ ...row, name: row.name ?? 'Passkey' }))
  return (
    <Section
      id="passkeys"
      title="Passkeys"
      action={
        <Button
          isBusy={change.isPending}
          onClick={() => change.mutate(() => addPasskey(user?.name ?? 'passkey'))}
        >
          <Plus aria-hidden /> Add a passkey
        </Button>
      }
    >
      {list.isPending ? (
        <Loading />
      ) : rows.length === 0 ? (
        <p className="flex items-center gap-3 px-4 py-3.5 text-muted sm:px-5">
          <Fingerprint className="size-5 shrink-0" aria-hidden />
          Add a passkey to sign in with your fingerprint, face or security key instead of a password.
        </p>
      ) : (
        <Removable
          heading="passkeys"
          rows={rows}
          kind="passkey"
          consequence="It no longer signs you in. Delete it on your device too."
          change={change}
          remove={(passkey) => call('DELETE /me/passkeys/:passkey', { passkey })}
        />
      )}
    </Section>
  )
}

/** Guesses the browser and system from a user agent. */
function deviceOf(agent: string | null): string {
  if (agent === null) return 'Unknown device'
  const browser = /Edg|Firefox|Chrome|Safari/.exec(agent)?.[0].replace('Edg', 'Edge') ?? 'Browser'
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(agent)?.[0].replace('Mac OS X', 'macOS')
  return system === undefined ? browser : `${browser} on ${system}`
}

function SignIns() {
  const list = useQuery({ queryKey: ['sign-ins'], queryFn: () => call('GET /me/sessions', {}) })
  const change = useChange(['sign-ins'])
  return (
    <Section id="sign-ins" title="Where you are signed in">
      {list.isPending ? (
        <Loading />
      ) : (
        <ul aria-labelledby="sign-ins" className="divide-y divide-border">
          {list.data?.data.map((row) => (
            <li key={row.id} className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  {deviceOf(row.user_agent)}
                  {row.is_current && <Badge tone="good">this one</Badge>}
                </p>
                <p className="truncate text-[13px] text-muted">
                  {row.address ?? 'unknown address'} · signed in <Time at={row.signed_in_at} />
                </p>
              </div>
              {!row.is_current && (
                <Button
                  size="small"
                  aria-label={`End the sign-in of ${deviceOf(row.user_agent)}`}
                  onClick={() =>
                    change.mutate(() => call('DELETE /me/sessions/:session', { session: row.id }))
                  }
                >
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
