'use client';

import { useCommand } from '../_ask/use-command';
import { Button } from './button';
import { ErrorLine } from './error-line';

/** Starts the embedded lab in the running server. Its clients appear as they connect. */
export function StartLabButton() {
  const start = useCommand('POST lab/start');
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Button icon="play" isPending={start.isPending} onPress={() => start.mutate({})}>
        {start.isPending ? 'Starting the lab' : 'Start the lab'}
      </Button>
      {start.error !== null && <ErrorLine error={start.error} />}
    </span>
  );
}
