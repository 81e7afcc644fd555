import type { SqlFile } from './sql-file';

/** In bytes; `usedBytes` does not count free pages. */
export function fileSize(sql: SqlFile): { readonly fileBytes: number; readonly usedBytes: number } {
  const [size] = sql.all<ReturnType<typeof fileSize>>(
    `SELECT page_count * page_size AS fileBytes, (page_count - freelist_count) * page_size AS usedBytes
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  );
  return size ?? { fileBytes: 0, usedBytes: 0 };
}

/** Returns some free pages to the file system. Returns how many are left. */
export function shrinkFile(sql: SqlFile, pages: number): number {
  sql.exec(`PRAGMA incremental_vacuum(${Math.trunc(pages)})`);
  return sql.number('SELECT freelist_count AS n FROM pragma_freelist_count') ?? 0;
}
