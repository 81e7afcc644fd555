import { config } from 'zod';

// Next runs this before any module of a page. zod compiles schemas where it can evaluate text; the content security policy
// forbids that, and would report zod's attempt as a violation on every page.
config({ jitless: true });
