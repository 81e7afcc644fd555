'use client';

import { useState } from 'react';
import { ErrorLine } from '@/app/_components/error-line';
import type { Source } from '@/lib/api/schema';
import { useCommand } from '../../_ask/use-command';
import { Button } from '../../_components/button';
import { Dialog } from '../../_components/dialog';
import { ChangeSourceDialog } from './change-source-dialog';

/** Only sources that were added in the browser can be removed. */
export function SourceActions({ source }: { readonly source: Source }) {
  const pause = useCommand('PATCH sources/{id}');
  const remove = useCommand('DELETE sources/{id}');
  const [isAsking, setAsking] = useState(false);
  const [isChanging, setChanging] = useState(false);
  return (
    <div className="inline-flex flex-col items-end gap-1">
      <div className="flex flex-wrap justify-end gap-1">
        <Button
          tone="quiet"
          icon={source.paused ? 'play' : 'pause'}
          isPending={pause.isPending}
          onPress={() => pause.mutate({ id: source.id, paused: !source.paused })}
          label={`${source.paused ? 'Resume' : 'Pause'} ${source.label}`}
        >
          {source.paused ? 'Resume' : 'Pause'}
        </Button>
        {source.origin === 'browser' && source.settings !== null && (
          <Button tone="quiet" onPress={() => setChanging(true)} label={`Edit ${source.label}`}>
            Edit
          </Button>
        )}
        {source.origin === 'browser' && (
          <Button tone="quiet" icon="trash" onPress={() => setAsking(true)} label={`Remove ${source.label}`}>
            Remove
          </Button>
        )}
      </div>
      <ErrorLine error={pause.error ?? remove.error} className="max-w-72" />
      {source.settings !== null && (
        <ChangeSourceDialog
          source={source}
          settings={source.settings}
          isOpen={isChanging}
          onClose={() => setChanging(false)}
        />
      )}
      <Dialog title="Remove this source?" isOpen={isAsking} onClose={() => setAsking(false)}>
        {source.kind === 'file' ? (
          <p>
            This removes the clients and pins of <span className="font-mono break-all">{source.target}</span>{' '}
            from all pages. Recorded data stays in the log until its retention ends.
          </p>
        ) : (
          <p>
            xdscope disconnects from <span className="font-mono break-all">{source.target}</span>. Recorded
            data is kept.
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onPress={() => setAsking(false)}>Cancel</Button>
          <Button
            tone="danger"
            isPending={remove.isPending}
            onPress={() => remove.mutate({ id: source.id }, { onSuccess: () => setAsking(false) })}
          >
            Remove
          </Button>
        </div>
      </Dialog>
    </div>
  );
}
