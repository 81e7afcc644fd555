import { CDS, EDS, LDS, RDS } from '../../../xds/resource-type';
import type { Field } from '../../field';
import { nackBy, type Reactions } from '../../reactions';
import type { CheckContext, Report, Rule } from '../../rule';
import { messagesOf } from './message-index';

export const measured = 'Envoy: measured with 1.40.0';

/** A rule about the messages of these full names, wherever Envoy reads one of them. */
export function ruleOfMessages(
  id: string,
  title: string,
  names: readonly string[],
  check: (message: Field, report: Report, context: CheckContext) => void,
  reactions: Reactions = nackBy('envoy'),
): Rule {
  return {
    ...{ id, title, reactions, source: measured },
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl, EDS.typeUrl],
    check(resource, report, context) {
      for (const message of messagesOf(resource, context.typeUrl, ...names)) check(message, report, context);
    },
  };
}
