// Many cores on networks of a usual size: schedules in a link, cores chosen by hand, the gallery, other allocations.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, fileButton, mistakes, pickPreset, withPage } from '../harness.mjs';

test('a network is cut into tiles and scheduled on four cores; a layer on another core is scheduled anew, undone, and part of the link', () =>
  withPage(async ({ page, url, screenshot }) => {
    await open(page, url);
    await page.getByTestId('core-rows').fill('18');
    await done(page);
    await improved(page);
    const found = await page.getByTestId('cores-answer').innerText();
    assert.match(found, /cycles[\s\S]*J[\s\S]* tiles, [\s\S]* transfers/);
    assert.equal(await page.getByTestId('cores-proof').getAttribute('data-proved'), 'true');
    const time = await savedTable(page, 'core-time');
    assert.equal(time.length, 4, 'a row a core');
    assert.deepEqual(await mistakes(page), []);
    await screenshot('cores');

    // Only FSRCNN's last layer on another core.
    const places = page.getByTestId('cores-allocation');
    const free = places.locator('tbody tr').last().locator('input:not(:checked)').first();
    await free.waitFor({ state: 'attached' });
    const chosen = await free.getAttribute('data-testid');
    await free.click();
    await page.waitForFunction((found) => document.querySelector('[data-testid=cores-answer]').innerText !== found, found);
    await page.getByTestId('cores-answer').getByText('by hand').waitFor();
    await done(page);
    const byHand = await page.getByTestId('cores-answer').innerText();
    const link = await page.evaluate(() => location.href);
    await page.getByTestId('undo').click();
    await page.waitForFunction((found) => document.querySelector('[data-testid=cores-answer]').innerText === found, found);
    await page.goto('about:blank');
    await page.goto(link);
    assert.equal(await page.locator('nav [aria-current=page]').innerText(), 'Cores');
    await page.waitForFunction((byHand) => document.querySelector('[data-testid=cores-answer]')?.innerText === byHand, byHand);
    assert.ok(await page.getByTestId(chosen).isChecked());
    await page.getByTestId('cores-found').click();
    await page.waitForFunction((found) => document.querySelector('[data-testid=cores-answer]').innerText === found, found);
  }));

test('a choice by hand outlives mistakes, and is not taken to a network without its layers', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await page.getByTestId('core-rows').fill('18');
    await done(page);
    await improved(page);
    const answer = page.getByTestId('cores-answer');
    const byHand = answer.getByText('by hand');
    const lastFree = () => page.getByTestId('cores-allocation').locator('tbody tr').last().locator('input:not(:checked)').first();
    const first = await ticked(lastFree());
    await byHand.waitFor();
    await done(page);
    // While a field is invalid, the results of the last valid input are shown, and can be changed.
    await page.getByTestId('core-rows').fill('no');
    await page.locator('[data-testid=cores-view][data-status=rejected]').waitFor();
    await page.getByTestId('cores-kept').waitFor();
    assert.equal(await byHand.count(), 1, 'it still says where it comes from');
    await ticked(page.getByTestId('cores-allocation').locator('tbody tr').first().locator('input:checked').first());
    await page.getByTestId('core-rows').fill('18');
    await done(page);
    await byHand.waitFor();
    assert.ok(await page.getByTestId(first).isChecked());
    // The table of comparisons contains it, too.
    const rows = await savedTable(page, 'cores-compared');
    assert.ok(rows.some((row) => row.allocation === 'chosen by hand' && row['latency [cycles]'] > 0));

    // Zoomed in; another network resets the zoom.
    await page.getByTestId('timeline-in').click();
    await pickPreset(page, 'workload', 'resnet18');
    await page.getByTestId('cores-unmatched').waitFor();
    await page.waitForFunction(() => !document.querySelector('[data-testid=cores-answer]').innerText.includes('by hand'));
    await done(page);
    assert.ok(await page.getByTestId('timeline-out').isDisabled(), 'there is no more to see');
  }));

test('an entry of the gallery opens what it claims', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('tab-gallery').click();
    const entry = page.getByTestId('entry-stream-table-2-diana');
    await entry.locator('summary').click();
    await entry.getByRole('button', { name: 'Open' }).click();
    await done(page);
    assert.equal(await page.getByTestId('core-order').inputValue(), '1');
    await page.getByTestId('cores-answer').getByText('792 kcycles').waitFor();
    assert.match(await page.getByTestId('cores-own').innerText(), /^DIANA has cores of its own/);
  }));

test('the allocation stands beside others, none of which is better', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await page.getByTestId('core-rows').fill('20');
    await done(page);
    await improved(page);
    await page.getByTestId('compare-allocations').click();
    await page.locator('[data-testid=cores-compared][data-status=done]').waitFor();
    const rows = await savedTable(page, 'cores-compared');
    assert.equal(rows.length, 5);
    const latency = rows.map((row) => row['latency [cycles]']);
    assert.ok(latency.every((cycles) => cycles > 0), latency.join(' '));
    const [shared, single, improvedOne, evolved] = latency;
    assert.ok(improvedOne <= Math.min(shared, single), 'better cores for single layers are never worse');
    assert.ok(improvedOne <= evolved * 1.001, 'evolution finds nothing better here');
    assert.deepEqual(await mistakes(page), []);
  }));

// --- helpers ----------------------------------------------------------------------------------------------

async function open(page, url) {
  await page.goto(url);
  await page.getByTestId('tab-cores').click();
  // Stated tiles are scheduled without a search for their size.
  await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
  await done(page);
}

/** Clicks a checkbox, and returns its name. */
async function ticked(box) {
  await box.waitFor({ state: 'attached' });
  const id = await box.getAttribute('data-testid');
  await box.click();
  return id;
}

async function done(page) {
  await page.locator('[data-testid=cores-view][data-status=done]').waitFor();
}

async function improved(page) {
  await page.locator('[data-testid=cores-improving][data-done=true]').waitFor();
  await done(page);
}

/** The table of a figure or of a card, as saved. */
async function savedTable(page, testid) {
  const place = page.getByTestId(testid);
  await place.locator('details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
  const json = await fileButton(place, 'json');
  const [download] = await Promise.all([page.waitForEvent('download'), json.click()]);
  return JSON.parse(String(await bytesOf(download)));
}
