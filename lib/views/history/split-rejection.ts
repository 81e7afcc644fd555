import type { HistoryDetail } from './schema';

interface ReportedRejection {
  /** One line, without the error text. */
  readonly heading: string;
  /** The error text, whole if a resource has it; null if the event is not a NACK, or no error text is reported. */
  readonly errorText: string | undefined;
}

/** Splits the error text from a NACK's line, which ends with its first part, so that it is shown only once. */
export function splitRejection({
  event,
  resources,
}: Pick<HistoryDetail, 'event' | 'resources'>): ReportedRejection {
  const { kind, text, errorText, names, nameCount } = event;
  if (kind !== 'nack-sent' || errorText === undefined) return { heading: text, errorText: undefined };
  const whole = resources.items.find((item) => item.errorText?.startsWith(errorText))?.errorText;
  const full = whole ?? errorText;
  if (!text.endsWith(`: ${errorText}`)) return { heading: text, errorText: full };
  const [first] = names;
  const rejected =
    first === undefined ? '' : `: ${first}${nameCount > 1 ? ` and ${nameCount - 1} more` : ''}`;
  return { heading: `${text.slice(0, -errorText.length - 2)}${rejected}`, errorText: full };
}
