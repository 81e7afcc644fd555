'use client';

import Link from 'next/link';
import { Comparison } from '@/app/_views/compare/comparison';
import { useCompareQuery } from '@/app/_views/compare/search-params';
import { SideChooser } from '@/app/_views/compare/side-chooser';
import { formatIsoTime } from '@/lib/format/iso-time';
import { formatDiffAddress, parseDiffAddress } from '@/lib/views/compare/diff-address';
import { Button } from '../../_components/button';
import { EmptyState } from '../../_components/empty-state';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { useLiveStream } from '../../_stream/use-live-stream';

export function ComparePage() {
  useLiveStream('fleet');
  const { query, setQuery } = useCompareQuery();
  const { left, right } = query;
  const isReady = left !== '' && right !== '';
  return (
    <PageBody fills>
      <PageHead
        title="Compare"
        vantage="semantic diff: order-insensitive lists, defaults applied"
        actions={
          <Link href="/compare/rules" className="link">
            Comparison rules
          </Link>
        }
      />
      <div className="flex flex-col items-stretch gap-2 md:flex-row md:items-center">
        <SideChooser
          side="A"
          address={left}
          onChange={(next) => void setQuery({ left: next }, { history: 'push' })}
        />
        <Button
          tone="quiet"
          label="Swap the sides"
          isDisabled={left === '' && right === ''}
          onPress={() => void setQuery({ left: right, right: left }, { history: 'push' })}
        >
          ⇄ Swap
        </Button>
        <SideChooser
          side="B"
          address={right}
          onChange={(next) => void setQuery({ right: next }, { history: 'push' })}
        />
      </div>
      {isReady ? (
        <Comparison />
      ) : (
        <EmptyState
          title={left === '' ? 'Choose the two sides' : 'Choose the other side'}
          action={<Shortcuts left={left} onChoose={(next) => void setQuery(next, { history: 'push' })} />}
        >
          A side is a client now or at an earlier time, the config that a control plane reports as sent, the
          probe, a client of an imported file, or a permalink.
        </EmptyState>
      )}
    </PageBody>
  );
}

const tenMinutesMs = 600_000;

interface ShortcutsProps {
  readonly left: string;
  readonly onChoose: (sides: { readonly left?: string; readonly right: string }) => void;
}

function Shortcuts({ left, onChoose }: ShortcutsProps) {
  const address = parseDiffAddress(left);
  if (address?.what !== 'client' || address.at !== null) return null;
  const now = formatDiffAddress(address);
  const then = () => formatIsoTime(Date.now() - tenMinutesMs);
  return (
    <div className="flex flex-wrap justify-center gap-2">
      <Button
        onPress={() =>
          onChoose({ left: formatDiffAddress({ ...address, side: 'control-plane' }), right: now })
        }
      >
        Sent against running
      </Button>
      <Button onPress={() => onChoose({ left: formatDiffAddress({ ...address, at: then() }), right: now })}>
        10 minutes ago against now
      </Button>
    </div>
  );
}
