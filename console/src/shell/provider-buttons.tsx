/** One button for each identity provider. */
import { LogIn } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../api/client'
import { signInAt, useProviders } from '../api/providers'
import { Button } from '../ui/button'
import { FormError } from '../ui/field'

interface Props {
  next?: string | undefined
  /** The token of the link that the person opened. */
  invitation?: string | undefined
}

export function ProviderButtons({ next, invitation }: Props) {
  const providers = useProviders()
  const [busy, setBusy] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  if (providers.length === 0) return null
  const leave = (id: string): void => {
    setBusy(id)
    setError(null)
    signInAt(id, { next, invitation }).catch((failure: unknown) => {
      setBusy(null)
      setError(messageOf(failure))
    })
  }
  return (
    <div className="grid gap-2">
      {providers.map(({ id, name }) => (
        <Button key={id} isBusy={busy === id} disabled={busy !== null} onClick={() => leave(id)}>
          <LogIn aria-hidden /> Continue with {name}
        </Button>
      ))}
      <FormError>{error}</FormError>
    </div>
  )
}
