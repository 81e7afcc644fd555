'use client';

import { ErrorState } from '../../_components/error-state';
import { ImportItem } from '../../_components/imports/import-item';
import { useImports } from '../../_hooks/queries';

/** Files that are imported, or were. */
export function ImportsList() {
  const { data: imports, error, refetch } = useImports();
  if (imports === undefined) {
    return error === null ? null : (
      <ErrorState title="The imports could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  if (imports.length === 0) return null;
  return (
    <>
      <ul aria-label="Imported files" className="mt-3 grid gap-2 md:grid-cols-2 xl:grid-cols-3">
        {imports.map((item) => (
          <ImportItem key={item.id} item={item} />
        ))}
      </ul>
      <p className="mt-2 text-[0.8571rem] text-muted">
        The clients and the pins of a file go with it. What it reported stays in the log, and in the History
        of all, until retention takes it.
      </p>
    </>
  );
}
