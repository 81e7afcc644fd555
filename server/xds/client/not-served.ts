import type { Problem } from '@/lib/observation/observation';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { ChannelStreamEnd } from '../stream/xds-channel';

/** The end of a stream that never was: the transport has nothing for a type that is wanted, and never will. */
export function notServed(typeUrl: string, why: string): ChannelStreamEnd {
  const message = `${formatResourceType(typeUrl)}: ${why}`;
  const problem: Problem = { code: 'NOT_SERVED', message, hint: '' };
  return {
    code: 'UNIMPLEMENTED',
    details: message,
    explain: async () => problem,
    typeUrl,
    wasOpened: false,
    hadResponse: false,
    isFailure: true,
    retryInMs: null,
  };
}
