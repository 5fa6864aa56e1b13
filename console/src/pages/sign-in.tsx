import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { Fingerprint } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { messageOf } from '../api/client'
import { PasskeyDeclined, signInWithPasskey } from '../api/passkeys'
import { sessionQuery, signIn, useCanUsePasskeys, useSession } from '../api/session'
import { Outside } from '../shell/outside'
import { ProviderButtons } from '../shell/provider-buttons'
import { Button } from '../ui/button'
import { FormError, TextField, textOf } from '../ui/field'

export function SignIn() {
  const { has_mail: hasMail, can_sign_up: canSignUp } = useSession()
  const hasPasskeys = useCanUsePasskeys()
  const { next } = useSearch({ from: '/sign-in' })
  const queries = useQueryClient()
  const router = useRouter()
  const [busy, setBusy] = useState<'password' | 'passkey' | null>(null)
  const [error, setError] = useState<string | null>(null)

  const enter = async (way: 'password' | 'passkey', how: () => Promise<unknown>): Promise<void> => {
    setBusy(way)
    setError(null)
    try {
      await how()
      await queries.refetchQueries(sessionQuery)
      await router.invalidate()
      await router.navigate({ to: next ?? '/' })
    } catch (failure) {
      if (!(failure instanceof PasskeyDeclined)) setError(messageOf(failure))
    } finally {
      setBusy(null)
    }
  }
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    void enter('password', () => signIn(textOf(form, 'email'), textOf(form, 'password')))
  }

  return (
    <Outside title="Sign in to Phonerack">
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <FormError>{error}</FormError>
        <Button type="submit" look="primary" isBusy={busy === 'password'} disabled={busy !== null}>
          Sign in
        </Button>
      </form>
      {hasPasskeys && (
        <Button
          isBusy={busy === 'passkey'}
          disabled={busy !== null}
          onClick={() => void enter('passkey', signInWithPasskey)}
        >
          <Fingerprint aria-hidden /> Sign in with a passkey
        </Button>
      )}
      <ProviderButtons next={next} />
      <p className="flex flex-wrap justify-between gap-x-4 gap-y-2 text-[13px] text-muted">
        {hasMail && (
          <Link to="/forgot" className="underline underline-offset-2">
            Forgot your password?
          </Link>
        )}
        {canSignUp && (
          <Link to="/sign-up" className="underline underline-offset-2">
            Create an account
          </Link>
        )}
        {!hasMail && 'Forgot your password, or no account yet? Ask the operator of this service for a link.'}
      </p>
    </Outside>
  )
}
