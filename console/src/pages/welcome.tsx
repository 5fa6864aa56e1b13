/** The page of one-time links: a new person gives a name and a password or passkey. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { Fingerprint } from 'lucide-react'
import { useRef, useState, type ReactNode, type SubmitEvent } from 'react'
import { call, messageOf } from '../api/client'
import { acceptWithPasskey } from '../api/passkeys'
import { sessionQuery, useCanUsePasskeys, useSession } from '../api/session'
import { type OpenInvitation } from '../api/types'
import { Outside } from '../shell/outside'
import { ProviderButtons } from '../shell/provider-buttons'
import { Button } from '../ui/button'
import { FormError, TextField, textOf } from '../ui/field'
import { Name } from '../ui/name'
import { Loading } from '../ui/page'

/** The token is in the fragment, which browsers do not send to the server. */
const readToken = (): string => window.location.hash.slice(1)

const purposeOf = ({ role, email, project }: OpenInvitation): ReactNode => {
  if (role === 'reset') return `Choose a new password for ${email ?? ''}. All your sign-ins end.`
  if (role === 'sign_up') return `Create your account for ${email ?? ''}.`
  if (role === 'operator') return 'You become an operator of this service.'
  return (
    <>
      You are invited to the project <Name>{project?.name ?? ''}</Name> as{' '}
      {role === 'owner' ? 'an owner' : `a ${role}`}.
    </>
  )
}

export function Welcome() {
  const [token] = useState(readToken)
  const { user } = useSession()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call('POST /invitations/look', {}, { token }),
    staleTime: Infinity,
    retry: false,
  })
  if (invitation.isPending) return <Outside title="Welcome to Phonerack">{<Loading />}</Outside>
  if (invitation.error)
    return (
      <Outside title="This link is not valid">
        <p>{messageOf(invitation.error)}</p>
        <Button asChild>
          <Link to="/sign-in">Sign in</Link>
        </Button>
      </Outside>
    )
  return (
    <Outside
      title={invitation.data.role === 'reset' ? 'New password' : 'Welcome to Phonerack'}
      description={purposeOf(invitation.data)}
    >
      {invitation.data.role === 'reset' ? (
        <Reset token={token} email={invitation.data.email ?? ''} />
      ) : user ? (
        <AsUser token={token} email={user.email} />
      ) : (
        <AsNewUser token={token} invitation={invitation.data} />
      )}
    </Outside>
  )
}

/** Returns a mutation that accepts the link, then opens the console. */
function useAccept() {
  const queries = useQueryClient()
  const router = useRouter()
  const [busy, setBusy] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const accept = async (way: string, how: () => Promise<unknown>): Promise<void> => {
    setBusy(way)
    setError(null)
    try {
      await how()
      await queries.refetchQueries(sessionQuery)
      await router.invalidate()
      await router.navigate({ to: '/', replace: true })
    } catch (failure) {
      setError(messageOf(failure))
    } finally {
      setBusy(null)
    }
  }
  return { accept, busy, error }
}

function Reset({ token, email }: { token: string; email: string }) {
  const { accept, busy, error } = useAccept()
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const password = textOf(event.currentTarget, 'password')
    void accept('reset', () => call('POST /resets/accept', {}, { token, password }))
  }
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <TextField
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        autoFocus
        minLength={10}
        maxLength={128}
        hint="At least 10 characters."
      />
      <FormError>{error}</FormError>
      <Button type="submit" look="primary" isBusy={busy !== null}>
        Change password
      </Button>
    </form>
  )
}

function AsUser({ token, email }: { token: string; email: string }) {
  const { accept, busy, error } = useAccept()
  return (
    <>
      <p>
        You are signed in as <strong>{email}</strong>.
      </p>
      <FormError>{error}</FormError>
      <Button
        look="primary"
        isBusy={busy !== null}
        onClick={() => void accept('accept', () => call('POST /invitations/accept', {}, { token }))}
      >
        Accept
      </Button>
    </>
  )
}

const personOf = (form: HTMLFormElement) => ({ name: textOf(form, 'name'), email: textOf(form, 'email') })

/** Reports missing fields except for the password, which a passkey replaces. */
const isPersonValid = (form: HTMLFormElement): boolean =>
  ['name', 'email'].every((name) => {
    const field = form.elements.namedItem(name)
    return field instanceof HTMLInputElement && field.reportValidity()
  })

/** Enter submits the form with the password. A separate button creates a passkey, and the account with it. */
function AsNewUser({ token, invitation }: { token: string; invitation: OpenInvitation }) {
  const hasPasskeys = useCanUsePasskeys()
  const form = useRef<HTMLFormElement>(null)
  const { accept, busy, error } = useAccept()
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const fields = event.currentTarget
    const user = { ...personOf(fields), password: textOf(fields, 'password') }
    void accept('password', () => call('POST /invitations/accept', {}, { token, user }))
  }
  const withPasskey = (): void => {
    if (!form.current || !isPersonValid(form.current)) return
    const person = personOf(form.current)
    void accept('passkey', () => acceptWithPasskey(token, person))
  }

  return (
    <>
      <form ref={form} className="grid gap-4" onSubmit={submit}>
        <TextField label="Name" name="name" autoComplete="name" required maxLength={80} autoFocus />
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="username"
          required
          defaultValue={invitation.email ?? ''}
          readOnly={invitation.email !== null}
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          maxLength={128}
          hint="At least 10 characters."
        />
        <FormError>{error}</FormError>
        <Button type="submit" look="primary" isBusy={busy === 'password'} disabled={busy !== null}>
          Continue with a password
        </Button>
      </form>
      {hasPasskeys && (
        <Button isBusy={busy === 'passkey'} disabled={busy !== null} onClick={withPasskey}>
          <Fingerprint aria-hidden /> Continue with a passkey
        </Button>
      )}
      <ProviderButtons invitation={token} />
      <p className="text-[13px] text-muted">
        You have an account?{' '}
        <Link to="/sign-in" className="underline underline-offset-2">
          Sign in
        </Link>
        , then open the link again.
      </p>
    </>
  )
}
