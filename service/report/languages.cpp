// SPDX-License-Identifier: Apache-2.0
#include "service/report/texts.hpp"

namespace valle::service::report {
namespace {

constexpr Texts k_english{
    .tag = "en",
    .decimal_mark = '.',
    .thousands_mark = ",",
    .title = "Weekly carbon report",
    .week = "Week",
    .revision = "Revision",
    .supersedes = "replaces revision",
    .made_at = "made",
    .time_zone = "time zone",
    .only_owner = "only",
    .saved = "Saved",
    .emitted = "Emitted",
    .baseline = "Without valle",
    .energy = "Energy of the jobs",
    .facility = "Energy of the sites",
    .jobs = "Jobs",
    .shifted = "shifted",
    .not_assessed = "not assessed",
    .deadlines_met = "Deadlines met",
    .missed = "missed",
    .by_time = "by time",
    .by_place = "by place",
    .by_efficiency = "by efficiency",
    .mean_wait = "Mean wait",
    .uncertainty = "Uncertainty",
    .planned = "promised by the plan",
    .sentence =
        "Waiting and moving saved {saved} CO₂e ({percent} of what running at once at home would have emitted), "
        "± {uncertainty}: {time} by time, {place} by place, {efficiency} by efficiency.",
    .sentence_loss =
        "This week the shifted jobs emitted {saved} CO₂e more ({percent}) than running at once at home "
        "would have, ± {uncertainty}: {time} by time, {place} by place, {efficiency} by efficiency.",
    .within_error = "That is smaller than its uncertainty and proves nothing.",
    .nothing = "No job finished in this week.",
    .intensity_picture = "The grid's intensity and what ran when",
    .intensity_caption = "Lines: realised intensity by zone, g CO₂e/kWh. Bars: energy used in each hour.",
    .by_day = "Saved by day",
    .by_owner = "By owner",
    .waits = "Waits against deadlines",
    .waits_caption = "Jobs with a latest start, by the share of the allowed wait that they used.",
    .no_deadlines = "No job of this week had a latest start.",
    .owner = "Owner",
    .site = "Site",
    .home = "Home",
    .zone = "Zone",
    .started = "Started",
    .wait = "Wait",
    .job = "Job",
    .share_of_wait = "share of the allowed wait",
    .number_of_jobs = "jobs",
    .most_saved = "Largest savings",
    .most_lost = "Jobs that emitted more than at once at home",
    .inventory = "Inventory",
    .inventory_note = "What was used and emitted. Savings are a comparison and are never subtracted from it.",
    .location_based = "Location-based",
    .market_based = "Market-based",
    .not_given = "not given",
    .method = "Method",
    .coverage = "Coverage",
    .measured = "measured",
    .estimated = "estimated",
    .unknown = "unknown",
    .fallback = "yearly factor",
    .energy_seconds = "Energy (share of the run time)",
    .intensity_energy = "Intensity (share of the energy)",
    .method_baseline =
        "Baseline: the same work begun at submission, at the home site, without power cap or pauses; "
        "instant, site and PUE frozen at submission, profile as measured.",
    .method_split =
        "Split: B0 baseline; B1 when it really ran, at home; B2 when and where it really ran; A as it was. "
        "Time = B0 − B1, place = B1 − B2, efficiency = B2 − A.",
    .method_realised = "Intensity: realised values only, never forecasts, each hour's energy at its own hour's value.",
    .method_boundary = "Energy: one boundary for each job; idle energy and PUE stand apart.",
    .method_uncertainty = "Uncertainty: errors of energy and of intensity apart, added over jobs.",
    .without_intensity = "without intensity",
    .figures = "figures",
    .source = "Source",
    .rule = "Rule",
    .sampling = "sampled every",
    .others = "others",
    .no_name = "(no owner)",
    .footer = "Made by valle. How to repeat any row by hand: docs/ACCOUNTING.md.",
    .days = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
};

constexpr Texts k_spanish{
    .tag = "es",
    .decimal_mark = ',',
    .thousands_mark = ".",
    .title = "Informe semanal de carbono",
    .week = "Semana",
    .revision = "Revisión",
    .supersedes = "sustituye a la revisión",
    .made_at = "elaborado",
    .time_zone = "huso horario",
    .only_owner = "solo",
    .saved = "Ahorrado",
    .emitted = "Emitido",
    .baseline = "Sin valle",
    .energy = "Energía de los trabajos",
    .facility = "Energía de los centros",
    .jobs = "Trabajos",
    .shifted = "desplazados",
    .not_assessed = "sin evaluar",
    .deadlines_met = "Plazos cumplidos",
    .missed = "incumplidos",
    .by_time = "por hora",
    .by_place = "por lugar",
    .by_efficiency = "por eficiencia",
    .mean_wait = "Espera media",
    .uncertainty = "Incertidumbre",
    .planned = "prometido por el plan",
    .sentence =
        "Esperar y trasladar ahorró {saved} de CO₂e ({percent} de lo que se habría emitido ejecutando de "
        "inmediato en el centro propio), ± {uncertainty}: {time} por hora, {place} por lugar, {efficiency} por "
        "eficiencia.",
    .sentence_loss =
        "Esta semana los trabajos emitieron {saved} de CO₂e más ({percent}) que ejecutados de inmediato en "
        "el centro propio, ± {uncertainty}: {time} por hora, {place} por lugar, {efficiency} por "
        "eficiencia.",
    .within_error = "Es menos que su incertidumbre y no demuestra nada.",
    .nothing = "Ningún trabajo terminó en esta semana.",
    .intensity_picture = "La intensidad de la red y qué se ejecutó cuándo",
    .intensity_caption = "Líneas: intensidad real por zona, g CO₂e/kWh. Barras: energía usada en cada hora.",
    .by_day = "Ahorrado por día",
    .by_owner = "Por propietario",
    .waits = "Esperas frente a plazos",
    .waits_caption = "Trabajos con inicio límite, según la parte de la espera permitida que usaron.",
    .no_deadlines = "Ningún trabajo de esta semana tenía inicio límite.",
    .owner = "Propietario",
    .site = "Centro",
    .home = "Centro propio",
    .zone = "Zona",
    .started = "Inicio",
    .wait = "Espera",
    .job = "Trabajo",
    .share_of_wait = "parte de la espera permitida",
    .number_of_jobs = "trabajos",
    .most_saved = "Mayores ahorros",
    .most_lost = "Trabajos que emitieron más que de inmediato en el centro propio",
    .inventory = "Inventario",
    .inventory_note = "Lo que se usó y se emitió. Los ahorros son una comparación y nunca se restan de aquí.",
    .location_based = "Según ubicación",
    .market_based = "Según mercado",
    .not_given = "no facilitado",
    .method = "Método",
    .coverage = "Cobertura",
    .measured = "medido",
    .estimated = "estimado",
    .unknown = "desconocido",
    .fallback = "factor anual",
    .energy_seconds = "Energía (parte del tiempo de ejecución)",
    .intensity_energy = "Intensidad (parte de la energía)",
    .method_baseline =
        "Referencia: el mismo trabajo iniciado al enviarse, en el centro propio, sin límite de potencia "
        "ni pausas; instante, centro y PUE fijados al enviarse, perfil medido.",
    .method_split =
        "Reparto: B0 referencia; B1 cuando se ejecutó, en el centro propio; B2 cuando y donde se ejecutó; A "
        "tal como fue. Hora = B0 − B1, lugar = B1 − B2, eficiencia = B2 − A.",
    .method_realised =
        "Intensidad: solo valores reales, nunca previsiones; la energía de cada hora con el valor de su "
        "hora.",
    .method_boundary = "Energía: una sola frontera por trabajo; la energía en reposo y el PUE van aparte.",
    .method_uncertainty = "Incertidumbre: errores de energía y de intensidad por separado, sumados sobre los trabajos.",
    .without_intensity = "sin intensidad",
    .figures = "cifras",
    .source = "Fuente",
    .rule = "Regla",
    .sampling = "muestreado cada",
    .others = "otros",
    .no_name = "(sin propietario)",
    .footer = "Elaborado por valle. Cómo repetir a mano cualquier fila: docs/ACCOUNTING.md.",
    .days = {"lun", "mar", "mié", "jue", "vie", "sáb", "dom"},
};

constexpr Texts k_french{
    .tag = "fr",
    .decimal_mark = ',',
    .thousands_mark = "\u202f",
    .title = "Rapport carbone hebdomadaire",
    .week = "Semaine",
    .revision = "Révision",
    .supersedes = "remplace la révision",
    .made_at = "établi",
    .time_zone = "fuseau horaire",
    .only_owner = "seulement",
    .saved = "Économisé",
    .emitted = "Émis",
    .baseline = "Sans valle",
    .energy = "Énergie des tâches",
    .facility = "Énergie des sites",
    .jobs = "Tâches",
    .shifted = "déplacées",
    .not_assessed = "non évaluées",
    .deadlines_met = "Échéances tenues",
    .missed = "manquées",
    .by_time = "par l’heure",
    .by_place = "par le lieu",
    .by_efficiency = "par l’efficacité",
    .mean_wait = "Attente moyenne",
    .uncertainty = "Incertitude",
    .planned = "promis par le plan",
    .sentence =
        "Attendre et déplacer a économisé {saved} de CO₂e ({percent} de ce qu’une exécution immédiate sur le "
        "site d’origine aurait émis), ± {uncertainty} : {time} par l’heure, {place} par le lieu, {efficiency} "
        "par l’efficacité.",
    .sentence_loss =
        "Cette semaine, les tâches ont émis {saved} de CO₂e de plus ({percent}) qu’une exécution immédiate "
        "sur le site d’origine, ± {uncertainty} : {time} par l’heure, {place} par le lieu, {efficiency} "
        "par l’efficacité.",
    .within_error = "C’est moins que l’incertitude et ne prouve rien.",
    .nothing = "Aucune tâche ne s’est terminée cette semaine.",
    .intensity_picture = "L’intensité du réseau et ce qui tournait quand",
    .intensity_caption = "Lignes : intensité réelle par zone, g CO₂e/kWh. Barres : énergie utilisée chaque heure.",
    .by_day = "Économisé par jour",
    .by_owner = "Par propriétaire",
    .waits = "Attentes et échéances",
    .waits_caption = "Tâches avec début au plus tard, selon la part de l’attente permise qu’elles ont utilisée.",
    .no_deadlines = "Aucune tâche de cette semaine n’avait de début au plus tard.",
    .owner = "Propriétaire",
    .site = "Site",
    .home = "Site d’origine",
    .zone = "Zone",
    .started = "Début",
    .wait = "Attente",
    .job = "Tâche",
    .share_of_wait = "part de l’attente permise",
    .number_of_jobs = "tâches",
    .most_saved = "Plus grandes économies",
    .most_lost = "Tâches qui ont émis plus que tout de suite sur le site d’origine",
    .inventory = "Inventaire",
    .inventory_note = "Ce qui a été utilisé et émis. Les économies sont une comparaison et n’en sont jamais déduites.",
    .location_based = "Selon le lieu",
    .market_based = "Selon le marché",
    .not_given = "non fourni",
    .method = "Méthode",
    .coverage = "Couverture",
    .measured = "mesuré",
    .estimated = "estimé",
    .unknown = "inconnu",
    .fallback = "facteur annuel",
    .energy_seconds = "Énergie (part du temps d’exécution)",
    .intensity_energy = "Intensité (part de l’énergie)",
    .method_baseline =
        "Référence : le même travail commencé dès sa soumission, sur le site d’origine, sans plafond de "
        "puissance ni pause ; instant, site et PUE figés à la soumission, profil mesuré.",
    .method_split =
        "Partage : B0 référence ; B1 à l’heure réelle, sur le site d’origine ; B2 à l’heure et au lieu "
        "réels ; A tel quel. Heure = B0 − B1, lieu = B1 − B2, efficacité = B2 − A.",
    .method_realised =
        "Intensité : valeurs réelles seulement, jamais de prévisions ; l’énergie de chaque heure à la "
        "valeur de son heure.",
    .method_boundary = "Énergie : une seule frontière par tâche ; l’énergie au repos et le PUE restent à part.",
    .method_uncertainty = "Incertitude : erreurs d’énergie et d’intensité séparées, additionnées sur les tâches.",
    .without_intensity = "sans intensité",
    .figures = "chiffres",
    .source = "Source",
    .rule = "Règle",
    .sampling = "relevé toutes les",
    .others = "autres",
    .no_name = "(sans propriétaire)",
    .footer = "Établi par valle. Pour refaire une ligne à la main : docs/ACCOUNTING.md.",
    .days = {"lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."},
};

constexpr Texts k_german{
    .tag = "de",
    .decimal_mark = ',',
    .thousands_mark = ".",
    .title = "CO₂-Wochenbericht",
    .week = "Woche",
    .revision = "Fassung",
    .supersedes = "ersetzt Fassung",
    .made_at = "erstellt",
    .time_zone = "Zeitzone",
    .only_owner = "nur",
    .saved = "Eingespart",
    .emitted = "Ausgestoßen",
    .baseline = "Ohne valle",
    .energy = "Energie der Jobs",
    .facility = "Energie der Standorte",
    .jobs = "Jobs",
    .shifted = "verschoben",
    .not_assessed = "nicht bewertet",
    .deadlines_met = "Fristen gehalten",
    .missed = "verfehlt",
    .by_time = "durch Zeit",
    .by_place = "durch Ort",
    .by_efficiency = "durch Effizienz",
    .mean_wait = "Mittlere Wartezeit",
    .uncertainty = "Unsicherheit",
    .planned = "vom Plan versprochen",
    .sentence =
        "Warten und Verlagern hat {saved} CO₂e eingespart ({percent} dessen, was ein sofortiger Lauf am "
        "Heimatstandort ausgestoßen hätte), ± {uncertainty}: {time} durch Zeit, {place} durch Ort, "
        "{efficiency} durch Effizienz.",
    .sentence_loss =
        "In dieser Woche haben die Jobs {saved} CO₂e mehr ausgestoßen ({percent}) als bei sofortigem Lauf "
        "am Heimatstandort, ± {uncertainty}: {time} durch Zeit, {place} durch Ort, {efficiency} durch "
        "Effizienz.",
    .within_error = "Das ist weniger als die Unsicherheit und belegt nichts.",
    .nothing = "In dieser Woche ist kein Job zu Ende gegangen.",
    .intensity_picture = "Die Intensität des Netzes und was wann lief",
    .intensity_caption = "Linien: tatsächliche Intensität je Zone, g CO₂e/kWh. Balken: Energie je Stunde.",
    .by_day = "Eingespart je Tag",
    .by_owner = "Nach Eigentümer",
    .waits = "Wartezeiten und Fristen",
    .waits_caption = "Jobs mit spätestem Start, nach dem Anteil der erlaubten Wartezeit, den sie genutzt haben.",
    .no_deadlines = "Kein Job dieser Woche hatte einen spätesten Start.",
    .owner = "Eigentümer",
    .site = "Standort",
    .home = "Heimatstandort",
    .zone = "Zone",
    .started = "Start",
    .wait = "Wartezeit",
    .job = "Job",
    .share_of_wait = "Anteil der erlaubten Wartezeit",
    .number_of_jobs = "Jobs",
    .most_saved = "Größte Einsparungen",
    .most_lost = "Jobs, die mehr ausgestoßen haben als sofort am Heimatstandort",
    .inventory = "Inventar",
    .inventory_note =
        "Was verbraucht und ausgestoßen wurde. Einsparungen sind ein Vergleich und werden davon nie "
        "abgezogen.",
    .location_based = "Standortbezogen",
    .market_based = "Marktbezogen",
    .not_given = "nicht angegeben",
    .method = "Methode",
    .coverage = "Abdeckung",
    .measured = "gemessen",
    .estimated = "geschätzt",
    .unknown = "unbekannt",
    .fallback = "Jahresfaktor",
    .energy_seconds = "Energie (Anteil der Laufzeit)",
    .intensity_energy = "Intensität (Anteil der Energie)",
    .method_baseline =
        "Vergleichsfall: dieselbe Arbeit sofort bei Einreichung begonnen, am Heimatstandort, ohne "
        "Leistungsgrenze und Pausen; Zeitpunkt, Ort und PUE bei Einreichung festgehalten, Profil wie "
        "gemessen.",
    .method_split =
        "Aufteilung: B0 Vergleichsfall; B1 zur wirklichen Zeit am Heimatstandort; B2 zur wirklichen Zeit am "
        "wirklichen Ort; A wie geschehen. Zeit = B0 − B1, Ort = B1 − B2, Effizienz = B2 − A.",
    .method_realised =
        "Intensität: nur tatsächliche Werte, nie Vorhersagen; die Energie jeder Stunde zum Wert ihrer "
        "Stunde.",
    .method_boundary = "Energie: eine Messgrenze je Job; Leerlauf und PUE stehen für sich.",
    .method_uncertainty = "Unsicherheit: Fehler von Energie und Intensität getrennt, über die Jobs addiert.",
    .without_intensity = "ohne Intensität",
    .figures = "Angaben",
    .source = "Quelle",
    .rule = "Regel",
    .sampling = "abgetastet alle",
    .others = "andere",
    .no_name = "(ohne Eigentümer)",
    .footer = "Erstellt von valle. Wie sich jede Zeile von Hand nachrechnen lässt: docs/ACCOUNTING.md.",
    .days = {"Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"},
};

}  // namespace

const Texts& texts(Language language) {
  switch (language) {
    case Language::english: return k_english;
    case Language::spanish: return k_spanish;
    case Language::french: return k_french;
    case Language::german: return k_german;
  }
  return k_english;
}

}  // namespace valle::service::report
