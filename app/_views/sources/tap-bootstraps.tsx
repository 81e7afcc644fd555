'use client';

import { useState } from 'react';
import { CopyButton } from '@/app/_components/copy-button';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { buildTapBootstraps } from '@/lib/views/sources/build-tap-bootstraps';
import type { TapShown } from '@/lib/views/sources/schema';

export function TapBootstraps({ tap }: { readonly tap: TapShown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="group mt-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer rounded text-muted hover:text-text">Bootstrap for this tap</summary>
      {isOpen && <Bootstraps tap={tap} />}
    </details>
  );
}

function Bootstraps({ tap }: { readonly tap: TapShown }) {
  // Runs in the browser only; the bootstrap uses the host name of the page.
  const bootstraps = buildTapBootstraps(tap, window.location.hostname);
  const [client, setClient] = useState(bootstraps[0]?.client ?? '');
  const chosen = bootstraps.find((each) => each.client === client) ?? bootstraps[0];
  if (chosen === undefined) return null;
  return (
    <div className="mt-2 flex flex-col gap-2">
      <div className="max-w-full overflow-x-auto">
        <SegmentedChoice
          label="Client"
          options={bootstraps.map((each) => ({ value: each.client, label: each.client }))}
          value={chosen.client}
          onChange={setClient}
        />
      </div>
      <p className="break-words text-muted">{chosen.note}</p>
      <div className="relative rounded-md border border-line bg-raised">
        <CopyButton
          text={chosen.text}
          label={`Copy the bootstrap for ${chosen.client}`}
          className="absolute top-1.5 right-1.5"
        />
        <code className="block px-3 py-2 pr-9 text-small leading-relaxed break-all whitespace-pre-wrap">
          {chosen.text}
        </code>
      </div>
    </div>
  );
}
