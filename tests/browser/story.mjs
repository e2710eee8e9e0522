// A test of several steps that share one page: its start and its first landscape take seconds, a step does not.

import { test } from 'node:test';
import { explained, withPage } from './harness.mjs';

/** The first page with three widths and three heights of tiles instead of six, to be put behind its address: 27 points where 108 prove no more. */
export const FEW_POINTS = '#1Y2FgZhGwYQWSQh5qzACOzQ';

/**
 * A test of one page, as `withPage` opens it. Its visit has `step(name, check)`, too: a test of its own within this one, that goes on from
 * where the step before has left the page. Where one fails, so does the whole, and none of those after it begins.
 */
export function story(name, tell, options) {
  test(name, (whole) =>
    withPage((tab) => {
      const step = async (name, check) => {
        let isFailed = true;
        await whole.test(name, async () => {
          try {
            await check();
            if (tab.problems.length > 0) throw new Error('something went wrong on the page');
            isFailed = false;
          } catch (error) {
            throw await explained(error, tab.problems, tab.screenshot);
          }
        });
        if (isFailed) throw new Error(`"${name}" failed`);
      };
      return tell({ ...tab, step });
    }, options),
  );
}
