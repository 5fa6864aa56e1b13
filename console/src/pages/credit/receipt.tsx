/** The receipt of a payment, which the payment provider keeps. The dialog looks it up when it opens. */
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { call, messageOf } from '../../api/client'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FormError } from '../../ui/field'
import { Loading } from '../../ui/page'
import { isOfStripe } from './stripe'

interface ReceiptProps {
  project: string
  /** Null: the dialog is closed. */
  checkout: string | null
  onClose: () => void
}

export function Receipt({ project, checkout, onClose }: ReceiptProps) {
  const { data, error, isFetching } = useQuery({
    queryKey: ['receipt', project, checkout],
    queryFn: () =>
      call('GET /projects/:project/checkouts/:checkout/receipt', { project, checkout: checkout ?? '' }),
    enabled: checkout !== null,
  })
  return (
    <Dialog
      isOpen={checkout !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title="Receipt"
      description="Stripe keeps the receipt of the payment."
    >
      {data ? (
        isOfStripe(data.url) ? (
          <Button asChild look="primary" className="justify-self-start">
            <a href={data.url} target="_blank" rel="noreferrer">
              <ExternalLink aria-hidden /> Open at Stripe
            </a>
          </Button>
        ) : (
          <code className="font-mono text-[13px] break-all">{data.url}</code>
        )
      ) : isFetching ? (
        <Loading />
      ) : (
        <FormError>{error && messageOf(error)}</FormError>
      )}
    </Dialog>
  )
}
