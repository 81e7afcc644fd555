'use client';

import { useState } from 'react';
import type { Convergence } from '@/lib/api/convergence';
import { formatCounted } from '@/lib/format/count';
import { BodyDiff } from '../../_components/inspector/body-diff';
import { Panel } from '../../_components/panel';
import { SelectField } from '../../_components/select-field';

/** The difference of each resource to what a client had before. */
export function PushChangesPanel({ push }: { readonly push: Convergence }) {
  const { changes, removed, nameCount } = push;
  const changed = changes.filter(({ hash, before }) => before !== null && before.hash !== hash);
  const unknown = changes.filter(({ before }) => before === null).length;
  const [chosen, setChosen] = useState('');
  const shown = changed.find(({ name }) => name === chosen) ?? changed[0];
  if (changes.length === 0 && removed.length === 0) return null;
  const partial = [
    unknown === 0 ? '' : `what clients had before of ${formatCounted(unknown, 'resource')} is not recorded`,
    nameCount > changes.length ? `${changes.length} of ${nameCount} resources compared` : '',
  ].filter((text) => text !== '');
  return (
    <Panel
      title="Difference to the version before"
      vantage="as one client received it"
      partial={partial.join('; ')}
      className="shrink-0"
    >
      <div className="flex flex-col gap-2">
        {removed.length > 0 && (
          <p className="text-medium break-words">
            Deleted: <span className="font-mono text-small">{removed.slice(0, 20).join(', ')}</span>
            {removed.length > 20 && ` and ${removed.length - 20} more`}
          </p>
        )}
        {changed.length > 1 && (
          <SelectField
            label="Resource"
            className="max-w-md"
            value={shown?.name ?? ''}
            options={changed.map(({ name }) => ({ value: name, label: name }))}
            onChange={setChosen}
          />
        )}
        {shown !== undefined && (
          <BodyDiff
            key={shown.name}
            name={shown.name}
            beforeHash={shown.before?.hash ?? null}
            afterHash={shown.hash}
            className="max-h-72"
          />
        )}
        {shown === undefined && removed.length === 0 && unknown < changes.length && (
          <p className="note">The contents are equal.</p>
        )}
      </div>
    </Panel>
  );
}
