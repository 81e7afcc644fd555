import type { HistoryDetail } from '../../api/history';

export interface ReportedRejection {
  /** One line, without the client's words. */
  readonly heading: string;
  /** The client's words, whole where a resource has them whole; null: it is no NACK, or none were reported. */
  readonly words: string | null;
}

/** A NACK's line ends with the beginning of its error text, which is shown whole below it: said once. */
export function splitRejection({
  event,
  resources,
}: Pick<HistoryDetail, 'event' | 'resources'>): ReportedRejection {
  const { kind, text, errorText, names, nameCount } = event;
  if (kind !== 'nack-sent' || errorText === null) return { heading: text, words: null };
  const whole = resources.items.find((item) => item.errorText?.startsWith(errorText))?.errorText;
  const words = whole ?? errorText;
  if (!text.endsWith(`: ${errorText}`)) return { heading: text, words };
  const [first] = names;
  const rejected =
    first === undefined ? '' : `: ${first}${nameCount > 1 ? ` and ${nameCount - 1} more` : ''}`;
  return { heading: `${text.slice(0, -errorText.length - 2)}${rejected}`, words };
}
