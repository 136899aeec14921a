// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/words.hpp"

namespace valle::service::report {

const Words& german() {
  static constexpr Words words{
      .tag = "de",
      .decimal = ",",
      .thousands = ".",
      .percent = "\u00a0%",
      .days = "T",
      .hours = "h",
      .minutes = "min",
      .weekdays = {"Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"},
      .months = {"Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."},
      .date = "{0}. {1} {2}",
      .title = "Wöchentlicher CO₂-Bericht",
      .week = "Woche {0}, {1} bis {2} (Zeitzone {3})",
      .revision = "Fassung {0}",
      .supersedes = "ersetzt Fassung {0}, die erhalten bleibt",
      .filter = "nur die Aufträge von {0}",
      .nothing_finished = "In dieser Woche endete kein Auftrag.",
      .nothing_assessed =
          "Kein Auftrag dieser Woche war zu bewerten: Energie oder Intensität des Netzes ist unbekannt.",
      .summary_saved =
          "Die bewerteten Aufträge verursachten {0} CO₂e. Sofort und am Heimatort wären es {1} gewesen: {2} "
          "({3}) wurden eingespart.",
      .summary_lost =
          "Die bewerteten Aufträge verursachten {0} CO₂e. Sofort und am Heimatort wären es {1} gewesen: {2} "
          "({3}) weniger, als tatsächlich verursacht wurden.",
      .uncertainty = "Die Einsparung ist auf ± {0} bekannt: ± {1} durch die Zähler, ± {2} durch die Zahlen des Netzes.",
      .not_proven = "Das ist weniger als die Unsicherheit von ± {0}: Eine Einsparung ist nicht belegt.",
      .left_out = "Aufträge ohne Angaben zu Energie oder Intensität, in keiner CO₂-Zahl enthalten: {0}.",
      .saved = "Eingespart",
      .emitted = "Verursacht",
      .baseline = "Sofort, am Heimatort",
      .energy = "Energie",
      .at_the_meter = "am Zähler des Gebäudes",
      .jobs = "Aufträge",
      .shifted = "Zeitlich oder örtlich verschoben",
      .deadlines = "Fristen versäumt",
      .deadlines_met = "von {0} Aufträgen mit Frist",
      .mean_wait = "Mittlere Wartezeit",
      .cost = "Kosten zu Day-Ahead-Preisen",
      .split = "Woher die Einsparung kommt",
      .by_time = "Warten auf saubere Stunden",
      .by_place = "Sauberere Regionen",
      .by_efficiency = "Leistungsgrenzen",
      .planned = "Bei der Freigabe vorhergesehen",
      .split_note = "Jeder Teil mit der eingetretenen Intensität, Stunde für Stunde; zusammen sind sie die Einsparung.",
      .week_picture = "Das Netz in dieser Woche, und was wann lief",
      .week_note = "Linien: CO₂-Intensität jeder Zone. Balken: Energie der Aufträge in jeder Stunde, nach Standort.",
      .intensity_axis = "g CO₂e/kWh",
      .energy_axis = "kWh in der Stunde",
      .day_picture = "Eingespart nach Tagen",
      .day_note =
          "Nach dem Tag, an dem ein Auftrag endete. Unter der Linie: mehr verursacht als sofort und am Heimatort.",
      .owner_picture = "Eingespart nach Eigentümern",
      .owner_note = "Eigentümer mit den größten Einsparungen oder Verlusten.",
      .wait_picture = "Wartezeiten und Fristen",
      .wait_note =
          "Aufträge mit spätestem Beginn, nach dem genutzten Anteil der erlaubten Wartezeit. Der letzte Balken: zu "
          "spät begonnen.",
      .wait_axis = "Anteil der erlaubten Wartezeit, %",
      .jobs_axis = "Aufträge",
      .late = "zu spät",
      .no_owner = "(ohne Eigentümer)",
      .other_owners = "(andere)",
      .no_data = "Es gibt nichts zu zeigen.",
      .owners = "Eigentümer",
      .owner = "Eigentümer",
      .assessed = "bewertet",
      .saved_share = "Einsparung, Anteil",
      .largest = "Aufträge mit dem größten Gewicht",
      .largest_note =
          "Die größten Einsparungen, darunter die größten Verluste. Alle Zeilen stehen in den Formen JSON und "
          "CSV.",
      .job = "Auftrag",
      .site = "Lief in (Heimat)",
      .site_alone = "Standort",
      .started = "Begonnen",
      .wait = "Gewartet",
      .inventory = "Inventar",
      .inventory_note =
          "Was an jedem Standort verbraucht und verursacht wurde. Eine Einsparung vergleicht mit dem, was nicht "
          "geschah: Sie wird nie von diesen Zahlen abgezogen.",
      .zone = "Zone",
      .location_based = "Standortbasiert",
      .market_based = "Marktbasiert",
      .factor = "Vertraglicher Faktor",
      .no_factor = "nicht angegeben",
      .without_intensity = "nicht gezählt: {0} ohne eingetretene Intensität",
      .coverage = "Abdeckung",
      .coverage_energy = "Laufzeit mit Energie",
      .coverage_intensity = "Energie mit Intensität",
      .measured = "gemessen",
      .estimated = "geschätzt",
      .unknown = "unbekannt",
      .fallback = "Jahresfaktor",
      .missing = "fehlt",
      .method = "Methode",
      .data = "Intensitätsdaten",
      .made_by =
          "Erstellt von valle {0}. Die Methode steht in docs/ACCOUNTING.md, damit jede Zeile von Hand nachgerechnet "
          "werden kann.",
  };
  return words;
}

}  // namespace valle::service::report
