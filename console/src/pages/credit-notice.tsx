/** A notice on the pages of a project whose credit ends soon. */
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { type Outlook } from '../api/types'
import { Button } from '../ui/button'
import { durationText } from '../ui/duration'
import { usdText } from '../ui/money'
import { Notice } from '../ui/notice'

interface CreditNoticeProps {
  project: string
  outlook: Outlook
  /** False on the credit page. */
  hasLink?: boolean
}

export function CreditNotice({ project, outlook, hasLink = false }: CreditNoticeProps) {
  const { state, lasts_seconds: lasts, per_day_usd: perDay } = outlook
  if (state === 'ok') return null
  return (
    <Notice
      tone="warn"
      icon={<TriangleAlert aria-hidden />}
      title={
        state === 'empty'
          ? 'No credit is left for another phone'
          : `The credit lasts for about ${durationText(lasts ?? 0)}`
      }
      action={
        hasLink && (
          <Button asChild size="small">
            <Link to="/projects/$project/credit" params={{ project }}>
              Go to credit
            </Link>
          </Button>
        )
      }
    >
      {state === 'empty'
        ? 'Phones cannot start until credit is added. Running phones can still use the credit that they reserved.'
        : `The project spends ${usdText(perDay)} a day. Phones cannot start once the credit is used up.`}
    </Notice>
  )
}
