import { formatDuration } from '../format/duration';
import { formatIsoTime } from '../format/iso-time';
import type { EpochMs } from '../xds/units';
import type { ClientOutcome } from './decide-client';

/** What became of one client, in words. `until`: what came later is not known. */
export function describeOutcome(outcome: ClientOutcome, until: EpochMs): string {
  const { kind, at, sentAt, before, text, wasRejected } = outcome;
  const held =
    before === null ? '' : `, still on ${versionText(before.version)} since ${formatIsoTime(before.since)}`;
  switch (kind) {
    case 'accepted':
      return outcome.earliestAt === at ? 'accepted' : 'accepted, as a poll reported afterwards';
    case 'rejected':
      return `rejected${held}`;
    case 'silent':
      return `silent${at === null ? '' : ` for ${formatDuration(Math.max(0, until - at))}`}: ${text}${held}`;
    case 'behind':
      return sentAt === null ? `not known to be sent to it${held}` : `sent, without an answer${held}`;
    case 'unclear':
      return 'in a response of which a part is in use; it is unknown whether this resource is in it';
    case 'missing':
      return 'says that it has none';
    case 'passed-over':
      return wasRejected ? 'rejected it, and accepted a newer one' : 'accepted a newer one without it';
    case 'already':
      return 'had the same content before';
    case 'joined-later':
      return 'was not known yet';
    case 'left':
      return 'asks for it no more';
  }
}

function versionText(version: string): string {
  return version === '' ? 'a version without a name' : `version ${version}`;
}
