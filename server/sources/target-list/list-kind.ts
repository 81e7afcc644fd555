import type { SourceKind } from '@/lib/observation/source-kinds';
import type { StartOptions } from '../../source-kind/option';
import type { PolledSetup, TargetListSetup } from '../../source-kind/polled-targets';
import { defineSourceKind, type SourceKindValue } from '../../source-kind/source-kind';
import { DnsTargetFinder } from './dns-target-finder';
import { FileTargetFinder } from './file-target-finder';
import { type ListMembers, TargetList } from './target-list';

export interface ListParts {
  /** Starts and ends the sources that a list finds. */
  readonly membersOf: (listId: string, setup: TargetListSetup) => ListMembers;
}

/** Lists of targets of a polled kind: each target that is found is a source of that kind. */
export function listKindOf<Options extends StartOptions, Setup extends PolledSetup, Parts>(
  member: SourceKindValue<Options, Setup, Parts, TargetListSetup<Setup>>,
) {
  const kind = `${member.kind}-list` as TargetListSetup<Setup>['kind'] & SourceKind;
  return defineSourceKind<TargetListSetup<Setup> & { readonly kind: SourceKind }, ListParts>()({
    kind,
    options: {},
    health: {
      connecting: 'has not found its targets yet',
      up: 'has found its targets',
      down: 'cannot find its targets',
      paused: 'is paused',
    },
    show: (setup) => member.show(setup.member),
    serversOf: ({ from }) => (from.kind === 'dns' ? [from.target.text] : []),
    nameServers: (setup) =>
      setup.from.kind === 'dns'
        ? { ...setup, from: { ...setup.from, target: { ...setup.from.target, isNamed: true } } }
        : setup,
    start({ setup }, { membersOf, sourceId, clock, onStatus }) {
      const { from } = setup;
      const finder =
        from.kind === 'file'
          ? new FileTargetFinder({ path: from.path, clock })
          : new DnsTargetFinder({ target: from.target, clock });
      return new TargetList({ finder, clock, onStatus, members: membersOf(sourceId, setup) });
    },
  });
}
