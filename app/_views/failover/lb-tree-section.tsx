'use client';

import { useMemo, useRef } from 'react';
import { CopyButton } from '@/app/_components/copy-button';
import { TextView } from '@/app/_components/inspector/text-view';
import { LbTreeDrawing } from '@/app/_drawings/failover/lb-tree-drawing';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { formatSentence } from '@/lib/format/sentence';
import { layoutLbTree } from '@/lib/views/failover/layout-lb-tree';
import type { LbTree, LbTreeNode } from '@/lib/views/failover/lb-tree-schema';
import { nameOf } from '@/lib/xds/profile';
import { useClientViewQuery } from '../client/use-client-view-query';
import { keyed } from '../resolved/keyed';
import { failoverParams } from './search-params';

interface LbTreeSectionProps {
  readonly answer: LbTree;
  readonly tree: LbTreeNode;
  readonly isNext: boolean;
}

export function LbTreeSection({ answer, tree, isNext }: LbTreeSectionProps) {
  const { setQuery } = useClientViewQuery(failoverParams);
  const holder = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(holder);
  const { profile, cluster, notes, node } = answer;
  const layout = useMemo(() => (widthPx === 0 ? null : layoutLbTree(tree, widthPx)), [tree, widthPx]);
  const label = `LB policies of ${nameOf(profile)} for cluster ${cluster ?? ''}`;
  return (
    <section aria-label="LB policies" aria-busy={isNext} className="mx-4 mb-4 overflow-hidden card">
      <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-2">
        <h2 className="text-medium font-semibold">LB policies: {nameOf(profile)}</h2>
        <p className="note">
          built from the effective config. Gray: ignored. Live: currently receives traffic, by EDS.
        </p>
      </header>
      {notes.map((note) => (
        <p key={note} className="border-b border-line px-3 py-1.5 note">
          {formatSentence(note)}
        </p>
      ))}
      <div className="grid min-w-0 @4xl:grid-cols-[3fr_2fr]">
        <div ref={holder} className="min-w-0 py-2">
          {layout !== null && (
            <LbTreeDrawing
              layout={layout}
              selected={node ?? ''}
              onSelect={(policy) => setQuery({ policy }, 'push')}
              label={label}
            />
          )}
        </div>
        <PolicyDetail answer={answer} tree={tree} />
      </div>
    </section>
  );
}

function PolicyDetail({ answer, tree }: { readonly answer: LbTree; readonly tree: LbTreeNode }) {
  const selected = findNode(tree, answer.node ?? '');
  const text = answer.config === undefined ? '' : JSON.stringify(answer.config, null, 2);
  return (
    <div className="min-w-0 border-t border-line @4xl:border-t-0 @4xl:border-l">
      {selected !== undefined && (
        <div className="px-3 py-2">
          <h3 className="font-mono text-medium font-semibold break-all">{selected.policy}</h3>
          {selected.reason !== '' && <p className="text-small text-nacked">ignored: {selected.reason}</p>}
          <ul className="list-disc pl-4 text-small">
            {selected.facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
          {selected.listed.length > 0 && <PolicyList listed={selected.listed} />}
        </div>
      )}
      {answer.node === undefined ? (
        <p className="px-3 py-2 note">The selected policy is no longer in the tree.</p>
      ) : text === '' ? (
        <p className="px-3 py-2 note">The policy has no config.</p>
      ) : (
        <div className="border-t border-line">
          <p className="flex items-center gap-1 px-3 pt-1.5 note">
            service config
            <CopyButton text={text} label="Copy the service config" />
          </p>
          <div className="h-80 min-w-0 overflow-hidden">
            <TextView text={text} language="json" label="Service config" />
          </div>
        </div>
      )}
    </div>
  );
}

/** gRFC A52: the client uses the first policy of the list that it supports. */
function PolicyList({ listed }: { readonly listed: LbTreeNode['listed'] }) {
  return (
    <>
      <p className="mt-1.5 text-small font-medium">Chosen from this list</p>
      <ol className="list-decimal pl-5 text-small">
        {keyed(listed, ({ typeName }) => typeName).map(({ key, item: { typeName, use, reason } }) => (
          <li key={key} className={use === 'used' ? '' : 'text-muted'}>
            <span className="font-mono text-[0.9286em] break-all">{typeName}</span>:{' '}
            {use === 'used' ? <strong className="font-semibold">chosen</strong> : `skipped: ${reason}`}
          </li>
        ))}
      </ol>
    </>
  );
}

function findNode(node: LbTreeNode, id: string): LbTreeNode | undefined {
  if (node.id === id) return node;
  for (const child of node.children) {
    const found = findNode(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
