import { writeFileAtomically } from '@/server/atomic-write';

/** Replaces a file. argv: its path. */
const [whole = ''] = process.argv.slice(2);
writeFileAtomically(whole, 'new');
