import type { NotableEvent } from '../../api/schema';
import { formatResourceType } from '../../xds/resource-type';

/** The event's text without the type, name and status that stand beside it already. */
export function formatEventReason({ text, typeUrl, resourceName, status }: NotableEvent): string {
  if (typeUrl === null || resourceName === null) return text;
  const subject = `${formatResourceType(typeUrl)} ${resourceName}`;
  if (!text.startsWith(subject)) return text;
  let rest = text.slice(subject.length).replace(/^[:\s]+/, '');
  if (status !== null && rest.startsWith(status)) rest = rest.slice(status.length).replace(/^[:\s]+/, '');
  return rest;
}
